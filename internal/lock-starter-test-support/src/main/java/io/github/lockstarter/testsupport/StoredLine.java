package io.github.lockstarter.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the waiting line of a lock from its hash, whose fields {@code lock.lua} describes. */
public final class StoredLine {

    /**
     * An entry of the line.
     *
     * @param deadline milliseconds of the server's clock
     * @param claimMillis milliseconds in which it would claim a grant
     * @param inbox inbox of its instance; empty: the instance only polls
     */
    public record Entry(String id, long deadline, long claimMillis, String inbox) {}

    private StoredLine() {}

    /** Returns the entries, the first one first, also those whose deadline is over. */
    public static List<Entry> of(RedisCli redis, String key) {
        return of(redis.hgetall(key));
    }

    /** Returns the entries of a line from the fields of the hash. */
    public static List<Entry> of(Map<String, String> fields) {
        List<Entry> entries = new ArrayList<>();
        String[] line = fields.getOrDefault("q", "").split(":", -1);
        if (line.length < 4) {
            return entries;
        }
        for (long place = Long.parseLong(line[0]); place <= Long.parseLong(line[1]); place++) {
            String id = fields.get("e:" + place);
            if (id != null) {
                String[] values = fields.getOrDefault("w:" + id, ":0:0:").split("[:.]", -1);
                entries.add(new Entry(id, Long.parseLong(values[1]), Long.parseLong(values[2]), values[3]));
            }
        }
        return entries;
    }
}
