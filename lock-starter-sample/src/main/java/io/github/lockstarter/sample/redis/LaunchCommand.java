package io.github.lockstarter.sample.redis;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.system.ApplicationHome;

/**
 * How this service was started, for messages that say how to start it otherwise.
 *
 * @param arguments what it was started with
 * @param port the port it was to listen on
 */
record LaunchCommand(ApplicationArguments arguments, int port) {

    private static final String PORT_OPTION = "--server.port=";

    /** The same command with further options, and with a port that is free. */
    String with(String options) {
        String all = Stream.of(arguments.getSourceArgs())
                .filter(argument -> !argument.startsWith(PORT_OPTION))
                .map(LaunchCommand::quoted)
                .collect(Collectors.joining(" ", "", " " + PORT_OPTION + freePort() + " " + options))
                .trim();
        File source = new ApplicationHome(LaunchCommand.class).getSource();
        if (source == null || source.isDirectory()) {
            return "./mvnw -q -pl lock-starter-sample -am spring-boot:run -Dspring-boot.run.arguments=\"" + all + "\"";
        }
        return "java -jar " + Path.of("").toAbsolutePath().relativize(source.toPath()) + " " + all;
    }

    /** For the shell: the semicolons of a database URL, for example. */
    private static String quoted(String argument) {
        return argument.matches("[\\w./:=,-]*") ? argument : "'" + argument + "'";
    }

    /** The first one from ours on that nobody listens on; 0 stands for any. */
    private int freePort() {
        int candidate = port;
        while (candidate != 0 && !isFree(candidate)) {
            candidate++;
        }
        return candidate;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
