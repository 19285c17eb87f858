package io.github.lockstarter.benchmarks.report;

import com.sun.management.OperatingSystemMXBean;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Where it was measured, and with which versions. */
public final class Machine {

    private static final long GIBIBYTE = 1L << 30;

    private static final Pattern JAR_VERSION = Pattern.compile("-(\\d[\\w.]*)\\.jar$");

    private Machine() {}

    public static List<String> describe(String redisVersion) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return List.of(
                Runtime.getRuntime().availableProcessors() + " cores (" + processor() + "), "
                        + Math.round((double) system.getTotalMemorySize() / GIBIBYTE) + " GiB, "
                        + system.getName() + " " + system.getArch(),
                "JDK " + Runtime.version() + ", " + System.getProperty("java.vm.name"),
                "Redis " + redisVersion + " on loopback, no persistence",
                "Lettuce " + version("io.lettuce.core.RedisClient") + ", Spring Data Redis "
                        + version("org.springframework.data.redis.core.RedisTemplate") + ", Redisson "
                        + version("org.redisson.Redisson") + ", Spring Integration "
                        + version("org.springframework.integration.redis.util.RedisLockRegistry") + ", lock-starter "
                        + version("io.github.lockstarter.LockRegistry"));
    }

    /** How many others want the processors; what they take is missing in the figures. Negative: unknown. */
    public static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("model unknown");
        } catch (IOException ex) {
            return "model unknown";
        }
    }

    /** Returns the version of Redis that is started. */
    public static String redisVersion() {
        try (RedisServer redis = RedisServer.start();
                RedisCli cli = redis.cli()) {
            return cli.info("server")
                    .lines()
                    .filter(line -> line.startsWith("redis_version:"))
                    .map(line -> line.substring(line.indexOf(':') + 1))
                    .findFirst()
                    .orElse("unknown");
        }
    }

    /** Returns the commit that is checked out, and whether files differ from it, or {@code unknown}. */
    public static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=8").start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.isEmpty() ? "unknown" : commit;
        } catch (IOException ex) {
            return "unknown";
        }
    }

    /** Returns the version that the manifest of the jar of a class states, or the name of the jar. */
    public static String version(String className) {
        try {
            Class<?> type = Class.forName(className);
            String version = type.getPackage().getImplementationVersion();
            if (version == null) {
                String file =
                        type.getProtectionDomain().getCodeSource().getLocation().getPath();
                Matcher number = JAR_VERSION.matcher(file);
                return number.find() ? number.group(1) : "of this build";
            }
            // Lettuce appends its commit.
            return version.replaceAll("/.*", "");
        } catch (ClassNotFoundException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
