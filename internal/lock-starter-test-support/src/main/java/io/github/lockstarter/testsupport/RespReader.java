package io.github.lockstarter.testsupport;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Cuts a stream of the Redis protocol (RESP2, RESP3 and inline commands) into frames. */
final class RespReader {

    private final InputStream in;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    RespReader(InputStream in) {
        this.in = new BufferedInputStream(in);
    }

    /** The next frame, or null at the end of the stream. */
    @Nullable
    RespFrame next() throws IOException {
        bytes.reset();
        int first = in.read();
        if (first < 0) {
            return null;
        }
        bytes.write(first);
        Object value = value((char) first);
        return new RespFrame((char) first, bytes.toByteArray(), value);
    }

    private @Nullable Object value(char type) throws IOException {
        return switch (type) {
            case '+', '(' -> line();
            case '-' -> new RedisErrorException(line());
            case ':' -> Long.valueOf(line());
            case ',' -> Double.valueOf(line().replace("inf", "Infinity"));
            case '#' -> line().equals("t");
            case '_' -> nothing();
            case '$' -> bulk();
            case '!' -> new RedisErrorException(String.valueOf(bulk()));
            case '=' -> String.valueOf(bulk()).substring("txt:".length());
            case '*', '~', '>' -> list();
            case '%' -> map();
            case '|' -> {
                map();
                yield value((char) read());
            }
            default -> List.of((type + line()).trim().split("\\s+", -1));
        };
    }

    private @Nullable Object nothing() throws IOException {
        line();
        return null;
    }

    private @Nullable String bulk() throws IOException {
        int length = Integer.parseInt(line());
        if (length < 0) {
            return null;
        }
        byte[] content = in.readNBytes(length + 2);
        if (content.length < length + 2) {
            throw new EOFException("End of stream inside a value");
        }
        bytes.write(content);
        return new String(content, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> list() throws IOException {
        int length = Integer.parseInt(line());
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> elements = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            elements.add(value((char) read()));
        }
        return elements;
    }

    private Map<@Nullable Object, @Nullable Object> map() throws IOException {
        int length = Integer.parseInt(line());
        Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
        for (int i = 0; i < length; i++) {
            Object key = value((char) read());
            entries.put(key, value((char) read()));
        }
        return entries;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = read(); c != '\n'; c = read()) {
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private int read() throws IOException {
        int c = in.read();
        if (c < 0) {
            throw new EOFException("End of stream inside a frame");
        }
        bytes.write(c);
        return c;
    }
}
