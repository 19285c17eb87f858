package io.github.lockstarter.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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

    /** A command with these arguments. */
    static RespFrame of(List<byte[]> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ascii("*" + arguments.size() + "\r\n"));
        for (byte[] argument : arguments) {
            out.writeBytes(ascii("$" + argument.length + "\r\n"));
            out.writeBytes(argument);
            out.writeBytes(ascii("\r\n"));
        }
        return new RespFrame('*', out.toByteArray(), null);
    }

    /** A frame as it is sent. */
    static RespFrame ofText(String text) {
        return new RespFrame(text.charAt(0), text.getBytes(StandardCharsets.UTF_8), null);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The same command with another argument in that place; the bytes of all others stay. */
    RespFrame withArgument(int index, String argument) {
        List<byte[]> raw = new ArrayList<>();
        if (type == '*') {
            int at = endOfLine(0);
            while (at < bytes.length) {
                int start = endOfLine(at);
                int length = Integer.parseInt(new String(bytes, at + 1, start - at - 3, StandardCharsets.US_ASCII));
                raw.add(Arrays.copyOfRange(bytes, start, start + length));
                at = start + length + 2;
            }
        } else {
            arguments().forEach(each -> raw.add(each.getBytes(StandardCharsets.UTF_8)));
        }
        raw.set(index, argument.getBytes(StandardCharsets.UTF_8));
        return of(raw);
    }

    private int endOfLine(int from) {
        int at = from;
        while (bytes[at] != '\n') {
            at++;
        }
        return at + 1;
    }

    /** A text of the same type, with another content. */
    RespFrame withText(String text) {
        String content = type == '=' ? "txt:" + text : text;
        return ofText(type + "" + content.getBytes(StandardCharsets.UTF_8).length + "\r\n" + content + "\r\n");
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
