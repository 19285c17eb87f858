package io.github.lockstarter.benchmarks.contention;

/**
 * How many may be inside at the same time.
 *
 * @param kind the rule
 * @param amount reads among a hundred accesses, or number of permits; otherwise 0
 */
public record Sharing(Kind kind, int amount) {

    /** One thread at a time, under the plain lock. */
    public static final Sharing EXCLUSIVE = new Sharing(Kind.EXCLUSIVE, 0);

    /** Any number of threads, without asking the contender: the limit of what the work allows. */
    public static final Sharing UNLIMITED = new Sharing(Kind.UNLIMITED, 0);

    /** Rules for entering. */
    public enum Kind {
        EXCLUSIVE,
        READS,
        PERMITS,
        UNLIMITED
    }

    /** Readers beside each other, or one writer. */
    public static Sharing reads(int percent) {
        return new Sharing(Kind.READS, percent);
    }

    /** As many threads as there are permits. */
    public static Sharing permits(int count) {
        return new Sharing(Kind.PERMITS, count);
    }

    String encode() {
        return this.kind + ":" + this.amount;
    }

    static Sharing decode(String text) {
        String[] parts = text.split(":", 2);
        return new Sharing(Kind.valueOf(parts[0]), Integer.parseInt(parts[1]));
    }
}
