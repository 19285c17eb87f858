package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One complete command or reply: its bytes as they came, and what they mean. */
final class RespFrame {

    private static final Set<String> MESSAGES = Set.of(
            "message",
            "pmessage",
            "smessage",
            "subscribe",
            "psubscribe",
            "ssubscribe",
            "unsubscribe",
            "punsubscribe",
            "sunsubscribe");

    private final char type;
    private final byte[] bytes;
    private final @Nullable Object value;

    RespFrame(char type, byte[] bytes, @Nullable Object value) {
        this.type = type;
        this.bytes = bytes;
        this.value = value;
    }

    @Nullable
    Object value() {
        return value;
    }

    /** The arguments of a command, the name first. */
    List<String> arguments() {
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Whether this is sent without having been asked for, or confirms a subscription: no command waits for it. */
    boolean isPush(boolean subscriber) {
        return type == '>'
                || (subscriber
                        && type == '*'
                        && value instanceof List<?> list
                        && !list.isEmpty()
                        && list.get(0) instanceof String kind
                        && MESSAGES.contains(kind));
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
        out.flush();
    }

    void writeHalfTo(OutputStream out) throws IOException {
        out.write(bytes, 0, bytes.length / 2);
        out.flush();
    }

    /** Whether this command, instead of having one reply, is confirmed once per channel. */
    static boolean subscribes(List<String> command) {
        return !command.isEmpty() && command.get(0).toLowerCase(Locale.ROOT).endsWith("subscribe");
    }

    static byte[] command(String... arguments) {
        StringBuilder text = new StringBuilder("*").append(arguments.length).append("\r\n");
        for (String argument : arguments) {
            int length = argument.getBytes(StandardCharsets.UTF_8).length;
            text.append('$').append(length).append("\r\n").append(argument).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
