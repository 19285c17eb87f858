package io.github.lockstarter;

import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Describes which lock is requested, for how long, and how long to wait for it. Immutable. What is not set has the
 * configured default; a lease that is not set is renewed by the watchdog.
 *
 * <p>{@code Duration.ofMillis(-1)} is the only negative time that is accepted: a wait without end, a renewed lease, no cap.
 * Times are at most ten years. Each method that sets one throws {@link IllegalArgumentException} if it is out of range.
 */
public final class LockRequest {

    /** As a wait: without end. {@code -1} ms. */
    public static final Duration FOREVER = Duration.ofMillis(-1);

    private static final int MAX_NAME_BYTES = 512;

    private static final int MOST_SHOWN = 60;

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

    private static final Duration LONGEST_TIME = Duration.ofDays(3660);

    private final String name;

    private final String lockName;

    private final @Nullable Duration waitTime;

    private final @Nullable Duration lease;

    private final @Nullable Duration maxHold;

    private final Duration minHold;

    private final OnLost onLost;

    private LockRequest(
            String name,
            String lockName,
            @Nullable Duration waitTime,
            @Nullable Duration lease,
            @Nullable Duration maxHold,
            Duration minHold,
            OnLost onLost) {
        this.name = name;
        this.lockName = lockName;
        this.waitTime = waitTime;
        this.lease = lease;
        this.maxHold = maxHold;
        this.minHold = minHold;
        this.onLost = onLost;
    }

    /**
     * Creates a request for the lock of that name.
     *
     * @param lockName any text that is not blank, at most 512 bytes in UTF-8; the part before its first {@code :} is the
     *     {@link #name()} in meters and events
     * @throws IllegalArgumentException if the name is blank or too long
     */
    public static LockRequest of(String lockName) {
        requireUsable(lockName);
        int colon = lockName.indexOf(':');
        String name = colon > 0 ? StaticNames.of(lockName, colon) : lockName;
        return new LockRequest(name, lockName, null, null, null, Duration.ZERO, OnLost.DEFAULT);
    }

    /**
     * Creates a request for one key of a family of locks, as annotated methods do: the lock is called {@code name:key}.
     *
     * @param name the static name, for meters and events; not blank
     * @param key what is locked; empty: the name alone is the lock
     * @throws IllegalArgumentException if the name is blank, or the name of the lock is longer than 512 bytes in UTF-8
     */
    public static LockRequest of(String name, String key) {
        String lockName = key.isEmpty() ? name : name + ':' + key;
        requireUsable(lockName);
        if (name.isBlank()) {
            throw new IllegalArgumentException("The static name of a lock must not be blank.");
        }
        return new LockRequest(name, lockName, null, null, null, Duration.ZERO, OnLost.DEFAULT);
    }

    /** Returns the same request with that wait. Zero: tries once; {@link #FOREVER}: without end. */
    public LockRequest withWaitTime(Duration waitTime) {
        require(FOREVER.equals(waitTime) || !waitTime.isNegative(), "wait time", waitTime, "zero or more");
        return new LockRequest(this.name, this.lockName, waitTime, this.lease, this.maxHold, this.minHold, this.onLost);
    }

    /** Returns the same request with a fixed lease of at least 1 ms, never renewed; {@code Duration.ofMillis(-1)}: renewed. */
    public LockRequest withLease(Duration lease) {
        require(FOREVER.equals(lease) || lease.compareTo(SHORTEST_LEASE) >= 0, "lease", lease, "at least 1 ms");
        return new LockRequest(this.name, this.lockName, this.waitTime, lease, this.maxHold, this.minHold, this.onLost);
    }

    /**
     * Returns the same request with a cap of a renewed lease of at least 1 ms, see {@link DistributedLock#maxHold};
     * {@code Duration.ofMillis(-1)}: no cap.
     */
    public LockRequest withMaxHold(Duration maxHold) {
        require(FOREVER.equals(maxHold) || maxHold.compareTo(SHORTEST_LEASE) >= 0, "maxHold", maxHold, "at least 1 ms");
        return new LockRequest(this.name, this.lockName, this.waitTime, this.lease, maxHold, this.minHold, this.onLost);
    }

    /**
     * Returns the same request with a minimum hold: released earlier, the lock stays taken until that long after the grant,
     * without an owner. Zero (the default): none. For jobs that several instances start at the same time by their own
     * clocks. A nested hold counts from where it enters the lock again; of several the latest end counts.
     */
    public LockRequest withMinHold(Duration minHold) {
        require(!minHold.isNegative(), "minHold", minHold, "zero (not at all) or more", "");
        return new LockRequest(this.name, this.lockName, this.waitTime, this.lease, this.maxHold, minHold, this.onLost);
    }

    /** Returns the same request with what {@link LockRegistry#execute} does on a loss; other methods ignore it. */
    public LockRequest withOnLost(OnLost onLost) {
        return new LockRequest(this.name, this.lockName, this.waitTime, this.lease, this.maxHold, this.minHold, onLost);
    }

    /** Returns the static name: the tag of meters, and the name in events. */
    public String name() {
        return this.name;
    }

    /** Returns what is locked under the static name; may be empty. */
    public String key() {
        return this.lockName.length() > this.name.length() ? this.lockName.substring(this.name.length() + 1) : "";
    }

    /** Returns the full name of the lock. */
    public String lockName() {
        return this.lockName;
    }

    /** Returns the wait; null: as configured. */
    public @Nullable Duration waitTime() {
        return this.waitTime;
    }

    /** Returns the fixed lease; null or {@code Duration.ofMillis(-1)}: renewed. */
    public @Nullable Duration lease() {
        return this.lease;
    }

    /** Returns the cap of a renewed lease; null: as configured; {@code Duration.ofMillis(-1)}: none. */
    public @Nullable Duration maxHold() {
        return this.maxHold;
    }

    /** Returns how long the lock is kept at least; zero: not at all. */
    public Duration minHold() {
        return this.minHold;
    }

    /** Returns what {@link LockRegistry#execute} does when the lease is lost. */
    public OnLost onLost() {
        return this.onLost;
    }

    /** Returns a text for logs: the part of the name up to the first colon and a digest, never the key. */
    @Override
    public String toString() {
        return "LockRequest[" + LoggedNames.WITHOUT_KEYS.of(this.lockName) + ']';
    }

    private static void requireUsable(String lockName) {
        if (lockName.isBlank()) {
            throw new IllegalArgumentException("The name of a lock must not be blank.");
        }
        // A char is at most three bytes, so most names need no encoding to be measured.
        int bytes = lockName.length() > MAX_NAME_BYTES / 3 ? lockName.getBytes(StandardCharsets.UTF_8).length : 0;
        if (bytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(Printable.of("The name of a lock is at most " + MAX_NAME_BYTES
                    + " bytes long, but one that begins with '" + beginning(lockName) + "' has " + bytes
                    + ". Use a digest of the key."));
        }
    }

    /** Of the static name alone: what is wrong here does not depend on the key, which may be personal data. */
    private static String beginning(String lockName) {
        int colon = lockName.indexOf(':');
        return lockName.substring(0, Math.min(colon >= 0 ? colon : lockName.length(), MOST_SHOWN));
    }

    private void require(boolean valid, String what, Duration value, String range) {
        require(valid, what, value, range, ", or -1 ms for no limit");
    }

    private void require(boolean valid, String what, Duration value, String range, String orElse) {
        if (!valid || value.compareTo(LONGEST_TIME) > 0) {
            throw new IllegalArgumentException(
                    Printable.of("Lock '" + LoggedNames.ofStatic(this.name) + "': the " + what + " must be " + range
                            + " and at most " + LONGEST_TIME.toDays() + " days" + orElse + ", but is " + value + "."));
        }
    }
}
