package io.github.lockstarter.sample.live;

import io.github.lockstarter.sample.Instance;
import io.github.lockstarter.sample.SampleApplication;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An instance in a process of its own, which can be paused and killed. */
record InstanceProcess(WorkerJvm jvm, int port) implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    static InstanceProcess start(RedisServer redis, String databaseUrl) throws InterruptedException {
        return start(redis, databaseUrl, Duration.ofSeconds(10));
    }

    /** Starts an instance whose buyers wait for at most that time. */
    static InstanceProcess start(RedisServer redis, String databaseUrl, Duration wait) throws InterruptedException {
        WorkerJvm jvm = WorkerJvm.start(
                SampleApplication.class,
                Instance.arguments(
                        "--spring.datasource.url=" + databaseUrl,
                        "--spring.data.redis.port=" + redis.port(),
                        "--distributed-lock.wait-time=" + wait,
                        "--tickets.payment-time=500ms",
                        "--logging.level.org.springframework.boot=INFO"));
        String line = jvm.awaitLine(text -> PORT.matcher(text).find(), Duration.ofMinutes(2));
        Matcher port = PORT.matcher(line);
        if (!port.find()) {
            throw new AssertionError(line);
        }
        return new InstanceProcess(jvm, Integer.parseInt(port.group(1)));
    }

    String address() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        jvm.close();
    }
}
