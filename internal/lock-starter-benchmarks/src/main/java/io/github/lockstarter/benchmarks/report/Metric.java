package io.github.lockstarter.benchmarks.report;

import java.util.Locale;

/**
 * A figure of a row: what it is called, in which unit, with how many decimals, and whether ratios of it say something.
 */
public enum Metric {
    RATE("rate", "/s", 0, true),
    MEDIAN("p50", " µs", 0, true),
    CALLER_BYTES("allocated by the caller", " B", 0, false),
    ALL_BYTES("allocated by all threads", " B", 0, false),
    REDIS_TIME("processor time of Redis, each", " µs", 1, true),
    WIRE_COMMANDS("commands on the wire", "", 2, false),
    LIMIT("limit", "/s", 0, false),
    LIMIT_SHARE("rate / limit", "", 2, false),
    ALL_COMMANDS("commands in all, each", "", 2, false),
    MAX_WAIT("longest wait", " ms", 0, false),
    WRITER_WAIT("longest wait of a writer", " ms", 0, false),
    READER_WAIT("longest wait of a reader", " ms", 0, false),
    THREAD_FAIRNESS("least / most served thread", "", 2, false),
    JVM_FAIRNESS("least / most served JVM", "", 2, false),
    HAND_OVER("hand-over between JVMs, p50", " µs", 0, true),
    TO_COMMAND("… body to command written", " µs", 0, false),
    TO_READ("… to first read", " µs", 0, false),
    TO_LAST_READ("… to last read", " µs", 0, false),
    TO_BODY("… to body", " µs", 0, false),
    CLIENT_CPU("client", " cores", 3, true),
    REDIS_CPU("Redis", " cores", 3, true),
    RENEWED_RATE("renewals", "/s", 0, false),
    CLIENT_EACH("client, each renewal", " µs", 2, true),
    REDIS_EACH("Redis, each renewal", " µs", 2, true),
    HEAP("heap each, without the name", " B", 0, false),
    NAMED_HEAP("heap each, with the name", " B", 0, false),
    REDIS_MEMORY("memory of Redis each", " B", 0, false),
    STOP("stop", " ms", 0, false),
    GRANTED("granted", "", 0, false),
    NOT_GRANTED("not granted", "", 0, false),
    LOST("lost", "", 0, false),
    LEFT_BEHIND("taken in Redis without an owner", "", 0, false),
    CALLED("until the last call returned", " ms", 0, false),
    LAST_GRANT("until the last grant", " ms", 0, true),
    HEAP_UNDER_WAY("heap each, all called", " B", 0, false),
    AFTER_EXPIRY("served after the expiry", " ms", 0, false),
    AFTER_KILL("served after the kill", " leases", 2, false),
    ACQUIRE_PERMIT("permit acquired", " µs", 0, false),
    RELEASE_PERMIT("permit released", " µs", 0, false),
    REFUSE_PERMIT("permit refused", " µs", 0, false),
    ACQUIRE_READ("reader admitted", " µs", 0, false),
    REFUSE_WRITE("writer refused", " µs", 0, false),
    RENEW_READ("reader renewed", " µs", 0, false),
    EXPIRED_READER("first command after a lease", " µs", 0, false),
    IS_LOCKED("isLocked", " µs", 0, false),
    POLL("poll of a waiter", " µs", 0, false),
    JOIN("waiter joins", " µs", 0, false),
    LEAVE("waiter leaves", " µs", 0, false),
    PASS("release to a waiter", " µs", 0, false),
    PASS_PERMIT("permit released to a waiter", " µs", 0, false),
    DEAD_WAITER("first command after a deadline", " µs", 0, false),
    DEAD_1_000("1,000, before their deadline", " ms", 1, false),
    DEAD_5_000("5,000, before their deadline", " ms", 1, false),
    OVERDUE_1_000("1,000, after it", " ms", 1, false),
    OVERDUE_5_000("5,000, after it", " ms", 1, false),
    IDLE_CONNECTED("Redis, none waits", " % of a core", 2, false),
    IDLE_WAITING("Redis, all wait", " % of a core", 2, false),
    POLLS("scripts", "/s", 0, false),
    IDLE_CONNECTIONS("connections each, none waits", "", 1, false),
    WAITING_CONNECTIONS("connections each, all wait", "", 1, false),
    SERVER_TIME("time in scripts, each", " µs", 1, false),
    RENEWALS_1("one Redis", "/s", 0, false),
    RENEWALS_3("cluster of 3 masters", "/s", 0, false),
    RENEWALS_6("cluster of 6 masters", "/s", 0, false),
    HELD_1_1("many in a lease, 1 thread, 1 statement", "/s", 0, false),
    FENCED_1_1("… with the fence", " ×", 2, true),
    HELD_4_1("4 threads, 1 statement", "/s", 0, false),
    FENCED_4_1("… with the fence", " ×", 2, true),
    HELD_4_5("4 threads, 5 statements", "/s", 0, false),
    FENCED_4_5("… with the fence", " ×", 2, true),
    LOCKED_1("lock, 1 statement, unlock, 1 thread", "/s", 0, false),
    FENCED_BEGIN_1("… with the fence, at-grant=false", " ×", 2, true),
    FENCED_GRANT_1("… with the fence, at-grant=true", " ×", 2, true),
    LOCKED_4("… 4 threads", "/s", 0, false),
    FENCED_BEGIN_4("… with the fence, at-grant=false", " ×", 2, true),
    FENCED_GRANT_4("… with the fence, at-grant=true", " ×", 2, true),
    READS_1("many in a lease, 1 thread, 1 query", "/s", 0, false),
    FENCED_READS_1("… with the fence", " ×", 2, true),
    READS_4("… 4 threads", "/s", 0, false),
    FENCED_READS_4("… with the fence", " ×", 2, true),
    READ_WAL("WAL of a transaction with 1 query", " B", 0, false),
    FENCED_READ_WAL("… with the fence", " B", 0, false),
    LOCK_ONLY_1("lock, unlock, 1 thread", "/s", 0, false),
    LOCK_ONLY_BEGIN_1("… with the fence, at-grant=false", " ×", 2, true),
    LOCK_ONLY_GRANT_1("… with the fence, at-grant=true", " ×", 2, true),
    FENCED_UNLOCKED_1("no lock, 1 thread, with the fence", " ×", 2, true),
    FENCED_UNLOCKED_4("no lock, 4 threads, with the fence", " ×", 2, true),
    ROUND_TRIP("round trip (PING)", " µs", 0, false),
    ROUND_TRIP_99("round trip (PING), p99", " µs", 0, false),
    FAR_LOCK("lock", " ×", 2, false),
    FAR_LOCK_99("lock, p99", " ×", 2, false),
    FAR_UNLOCK("unlock", " ×", 2, false),
    FAR_UNLOCK_99("unlock, p99", " ×", 2, false),
    FAR_BACKGROUND("unlock, background", " ×", 2, false),
    FAR_BACKGROUND_99("unlock, background, p99", " ×", 2, false),
    FAR_ASYNC_LOCK("lock, asynchronous", " ×", 2, false),
    FAR_ASYNC_LOCK_99("lock, asynchronous, p99", " ×", 2, false),
    FAR_ASYNC_UNLOCK("unlock, asynchronous", " ×", 2, false),
    FAR_ASYNC_UNLOCK_99("unlock, asynchronous, p99", " ×", 2, false),
    FAR_2("2 locks of one call", " ×", 2, false),
    FAR_2_99("2 locks of one call, p99", " ×", 2, false),
    FAR_4("4 locks of one call", " ×", 2, false),
    FAR_4_99("4 locks of one call, p99", " ×", 2, false),
    FAR_8("8 locks of one call", " ×", 2, false),
    FAR_8_99("8 locks of one call, p99", " ×", 2, false),
    FAR_16("16 locks of one call", " ×", 2, false),
    FAR_16_99("16 locks of one call, p99", " ×", 2, false),
    FAR_RELEASE_16("release of 16 locks", " ×", 2, false),
    FAR_RELEASE_16_99("release of 16 locks, p99", " ×", 2, false),
    FAR_RENEW("renewal", " ×", 2, false),
    FAR_RENEW_99("renewal, p99", " ×", 2, false),
    FAR_HAND_OVER("hand-over of a lock", " ×", 2, false),
    FAR_HAND_OVER_99("hand-over of a lock, p99", " ×", 2, false),
    FAR_BY_CLIENT("hand-over of a lock, message by the client", " ×", 2, false),
    FAR_BY_CLIENT_99("hand-over of a lock, message by the client, p99", " ×", 2, false),
    FAR_READER("hand-over to a reader", " ×", 2, false),
    FAR_READER_99("hand-over to a reader, p99", " ×", 2, false),
    FAR_PERMIT("hand-over of a permit", " ×", 2, false),
    FAR_PERMIT_99("hand-over of a permit, p99", " ×", 2, false);

    private final String label;

    private final String unit;

    private final int decimals;

    private final boolean comparable;

    Metric(String label, String unit, int decimals, boolean comparable) {
        this.label = label;
        this.unit = unit;
        this.decimals = decimals;
        this.comparable = comparable;
    }

    public String label() {
        return this.label;
    }

    boolean isComparable() {
        return this.comparable;
    }

    public String format(double value) {
        return number(value) + this.unit;
    }

    /** Formats the least and the most of several rounds, without the unit. */
    String format(double least, double most) {
        return number(least) + " to " + number(most);
    }

    private String number(double value) {
        return String.format(Locale.ROOT, "%,." + this.decimals + "f", value);
    }
}
