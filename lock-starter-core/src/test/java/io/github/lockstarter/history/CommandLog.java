package io.github.lockstarter.history;

import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes down the scripts that a server runs: which, for which lock, under which id. */
final class CommandLog implements AutoCloseable {

    private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*+)\"");

    private static final Duration QUIET = Duration.ofHours(1);

    /** Names of the scripts by what stands for them in a command: their digest, or their first line. */
    private static final Map<String, String> SCRIPTS = scripts();

    private final RedisServer server;

    private final HistoryLog log;

    private volatile RedisCli redis;

    private volatile boolean closed;

    private CommandLog(RedisServer server, HistoryLog log) {
        this.server = server;
        this.log = log;
        this.redis = monitor();
    }

    static CommandLog of(RedisServer server, HistoryLog log) {
        CommandLog commands = new CommandLog(server, log);
        Thread reader = new Thread(commands::read, "command-log");
        reader.setDaemon(true);
        reader.start();
        return commands;
    }

    private static Map<String, String> scripts() {
        Map<String, String> scripts = new LinkedHashMap<>();
        for (String name : List.of("acquire", "renew", "release")) {
            try (InputStream in = RedisLockStore.class.getResourceAsStream("script/" + name + ".lua")) {
                String text = new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
                scripts.put(digest(name), name);
                scripts.put(text.substring(0, text.indexOf('\n')), name);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
        return scripts;
    }

    private static String digest(String name) {
        return switch (name) {
            case "acquire" -> LuaScript.ACQUIRE.getSha1();
            case "renew" -> LuaScript.RENEW.getSha1();
            default -> LuaScript.RELEASE.getSha1();
        };
    }

    /** The digest of a script of the store. */
    static String digestOf(String name) {
        return SCRIPTS.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private RedisCli monitor() {
        RedisCli cli = this.server.cli(QUIET);
        cli.command("MONITOR");
        return cli;
    }

    private void read() {
        while (!this.closed) {
            try {
                note(String.valueOf(this.redis.read()));
            } catch (UncheckedIOException ex) {
                reopen();
            }
        }
    }

    /** Whoever kills all clients kills this one too. */
    private void reopen() {
        this.redis.close();
        while (!this.closed) {
            try {
                this.redis = monitor();
                return;
            } catch (UncheckedIOException ex) {
                Pause.of(Duration.ofMillis(20));
            }
        }
    }

    private void note(String line) {
        List<String> command = new ArrayList<>();
        Matcher argument = ARGUMENT.matcher(line);
        while (argument.find()) {
            command.add(argument.group(1));
        }
        if (command.size() < 5 || !command.get(0).regionMatches(true, 0, "eval", 0, 4)) {
            return;
        }
        String name = SCRIPTS.get(command.get(1).split("\\\\n", 2)[0]);
        if (name == null) {
            return;
        }
        int keys = Integer.parseInt(command.get(2));
        boolean renewal = name.equals("renew");
        String[] ids = command.get(3 + keys + (renewal ? 1 : 0)).split(";", -1);
        for (int i = 0; i < keys && i < ids.length; i++) {
            String key = command.get(3 + i);
            String lock = key.substring(key.indexOf('{') + 1, key.length() - 1);
            this.log.now(EventKind.COMMAND, lock, 0, 0, 0, name + ' ' + ids[i]);
        }
    }

    @Override
    public void close() {
        this.closed = true;
        this.redis.close();
    }
}
