package io.github.lockstarter;

import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Describes the lock to acquire, its lease and the wait. Immutable. Values that are not set have the configured
 * default; a lease that is not set is renewed by the watchdog.
 *
 * <p>The only negative time is {@code Duration.ofMillis(-1)}: an unlimited wait, a renewed lease, or no {@code
 * maxHold}. Times are at most ten years. Methods that set a time throw {@link IllegalArgumentException} if it is out of
 * range. Values that a request does not set are taken from the properties {@code distributed-lock.locks.<name>} of its
 * static name, and otherwise from the settings for all locks.
 */
public final class LockRequest {

    /** An unlimited wait: {@code -1} ms. */
    public static final Duration FOREVER = Duration.ofMillis(-1);

    private static final int MAX_NAME_BYTES = 512;

    private static final int MAX_SHOWN = 60;

    private static final ConcurrentMap<String, String> STATIC_NAMES = new ConcurrentHashMap<>();

    /** Maximum number of static names whose strings are shared between requests. */
    private static final int MAX_SHARED = 1000;

    private static final Use WRITER = new Use(Kind.WRITER, null, OnLost.DEFAULT, OnNotGranted.THROW, null, null);

    private static final int MAX_PERMITS = 999_999_999;

    private static final Duration MIN_LEASE = Duration.ofMillis(1);

    private static final Duration MAX_TIME = Duration.ofDays(3660);

    private final String name;

    private final String lockName;

    private final @Nullable Duration waitTime;

    private final @Nullable Duration lease;

    private final @Nullable Duration maxHold;

    /** {@code null} if no minimum hold is set. */
    private final @Nullable Duration minHold;

    private final Use use;

    /**
     * The part of a request that all requests of an annotation share. {@code releaseAfterTransaction} and {@code
     * maxWaiters} are {@code null} if they are not set, {@code method} if the request was not made for an annotated
     * method.
     */
    private record Use(
            Kind kind,
            @Nullable Boolean releaseAfterTransaction,
            OnLost onLost,
            OnNotGranted onNotGranted,
            @Nullable Method method,
            @Nullable Integer maxWaiters) {}

    /** What is requested. {@code weight} and {@code permits} are 0 for a lock. */
    private record Kind(LockMode mode, int weight, int permits) {

        private static final Kind WRITER = new Kind(LockMode.WRITE, 0, 0);
    }

    private LockRequest(
            String name,
            String lockName,
            @Nullable Duration waitTime,
            @Nullable Duration lease,
            @Nullable Duration maxHold,
            @Nullable Duration minHold,
            Use use) {
        this.name = name;
        this.lockName = lockName;
        this.waitTime = waitTime;
        this.lease = lease;
        this.maxHold = maxHold;
        this.minHold = minHold;
        this.use = use;
    }

    private LockRequest(String name, String lockName) {
        this(name, lockName, null, null, null, null, WRITER);
    }

    private LockRequest with(
            @Nullable Duration waitTime,
            @Nullable Duration lease,
            @Nullable Duration maxHold,
            @Nullable Duration minHold) {
        return new LockRequest(this.name, this.lockName, waitTime, lease, maxHold, minHold, this.use);
    }

    private LockRequest with(Use use) {
        return new LockRequest(this.name, this.lockName, this.waitTime, this.lease, this.maxHold, this.minHold, use);
    }

    /**
     * Creates a request for the lock with this name.
     *
     * @param lockName any text that is not blank, at most 512 bytes in UTF-8; the part before its first {@code :} is
     *     the static {@link #name()} for meters and events
     * @throws IllegalArgumentException if the name is blank or too long
     */
    public static LockRequest of(String lockName) {
        requireUsable(lockName);
        int colon = lockName.indexOf(':');
        boolean hasKey = colon > 0 && colon < lockName.length() - 1;
        return new LockRequest(hasKey ? shared(lockName.substring(0, colon)) : lockName, lockName);
    }

    /**
     * Creates a request for one key under a static name, as annotated methods do: the name of the lock is {@code
     * name:key}.
     *
     * @param name the static name, for meters and events; not blank
     * @param key the key; if it is empty, the static name is the name of the lock
     * @throws IllegalArgumentException if the name is blank, or the name of the lock is longer than 512 bytes in UTF-8
     */
    public static LockRequest of(String name, String key) {
        String lockName = join(name, key);
        if (name.isBlank()) {
            throw new IllegalArgumentException("The static name of a lock must not be blank.");
        }
        return new LockRequest(name, lockName);
    }

    /**
     * Returns a copy for one key under the same static name.
     *
     * @throws IllegalArgumentException if the name of the lock is longer than 512 bytes in UTF-8
     */
    public LockRequest withKey(String key) {
        return new LockRequest(
                this.name, join(this.name, key), this.waitTime, this.lease, this.maxHold, this.minHold, this.use);
    }

    /** Returns a copy with this wait. Zero makes one attempt; {@link #FOREVER} waits without limit. */
    public LockRequest withWaitTime(Duration waitTime) {
        require(FOREVER.equals(waitTime) || !waitTime.isNegative(), "wait time", waitTime, "zero or more");
        return with(waitTime, this.lease, this.maxHold, this.minHold);
    }

    /**
     * Returns a copy with a fixed lease of at least 1 ms, which is never renewed. {@code Duration.ofMillis(-1)}
     * requests a renewed lease.
     */
    public LockRequest withLease(Duration lease) {
        require(FOREVER.equals(lease) || lease.compareTo(MIN_LEASE) >= 0, "lease", lease, "at least 1 ms");
        return with(this.waitTime, lease, this.maxHold, this.minHold);
    }

    /**
     * Returns a copy with this longest time for which the lease is renewed, at least 1 ms. {@code
     * Duration.ofMillis(-1)} renews it without limit. See {@link DistributedLock#maxHold}.
     */
    public LockRequest withMaxHold(Duration maxHold) {
        require(FOREVER.equals(maxHold) || maxHold.compareTo(MIN_LEASE) >= 0, "maxHold", maxHold, "at least 1 ms");
        return with(this.waitTime, this.lease, maxHold, this.minHold);
    }

    /**
     * Returns a copy with a minimum hold: a lock that is released earlier stays taken without an owner until this time
     * after the grant. The default is zero, which means no minimum hold. It is meant for jobs that several instances
     * start at the same time by their own clocks. For a nested hold it counts from the nested acquisition; the latest
     * of several ends applies.
     */
    public LockRequest withMinHold(Duration minHold) {
        require(!minHold.isNegative(), "minHold", minHold, "zero or more", "");
        return with(this.waitTime, this.lease, this.maxHold, minHold);
    }

    /** Returns a copy with this behaviour of {@link LockRegistry#execute} on a loss; other methods ignore it. */
    public LockRequest withOnLost(OnLost onLost) {
        return with(new Use(kind(), releaseAfterTransaction(), onLost, onNotGranted(), method(), maxWaiters()));
    }

    /**
     * Returns a copy that decides when {@link LockRegistry#execute}, {@code acquire} and {@code tryAcquire} release the
     * lock if a transaction was running in the thread at the time of the grant. If true, the lock is released after
     * that transaction has completed, and its commit is refused if the lease is lost, unless {@code onLost} is {@code
     * IGNORE}; a lease that is closed or released earlier stays held until then. If false, the lock is released
     * immediately. If this is not set, the lock is released immediately as well, and a warning is logged.
     */
    public LockRequest withReleaseAfterTransaction(boolean releaseAfterTransaction) {
        return with(new Use(kind(), releaseAfterTransaction, onLost(), onNotGranted(), method(), maxWaiters()));
    }

    /**
     * Returns a copy that requests the lock in this mode. {@link LockMode#WRITE} is the default.
     *
     * @throws IllegalArgumentException if the mode is {@code PERMIT}; use {@link #withPermits} instead
     */
    public LockRequest withMode(LockMode mode) {
        if (mode == LockMode.PERMIT) {
            throw new IllegalArgumentException(Printable.of("Lock '" + LoggedNames.ofStatic(this.name)
                    + "': use withPermits to request permits, because they have a limit."));
        }
        return with(new Use(
                new Kind(mode, 0, 0), releaseAfterTransaction(), onLost(), onNotGranted(), method(), maxWaiters()));
    }

    /**
     * Returns a copy that requests permits of the semaphore with this name instead of the lock. The limit belongs to
     * the request and is not stored: a request is granted when its weight and the permits of all present holders are at
     * most {@code permits}. A name must be used either for permits or as a lock.
     *
     * @param weight number of permits requested, at least 1
     * @param permits number of permits that all holders may have together, at least {@code weight} and at most
     *     999,999,999
     * @throws IllegalArgumentException if a number is out of range
     */
    public LockRequest withPermits(int weight, int permits) {
        if (weight < 1 || permits < weight || permits > MAX_PERMITS) {
            throw new IllegalArgumentException(Printable.of("Semaphore '" + LoggedNames.ofStatic(this.name)
                    + "': " + weight + " of " + permits
                    + " permits cannot be requested. The weight must be at least 1 and"
                    + " at most the number of permits, which must be at most " + MAX_PERMITS + '.'));
        }
        return with(new Use(
                new Kind(LockMode.PERMIT, weight, permits),
                releaseAfterTransaction(),
                onLost(),
                onNotGranted(),
                method(),
                maxWaiters()));
    }

    /**
     * Returns a copy that states how the caller reacts if the lock is not granted, for events and meters: the outcome
     * of a refusal is {@code SKIPPED} for {@link OnNotGranted#SKIP}, and {@code TIMEOUT} otherwise. The methods of
     * {@link LockRegistry} behave as without it.
     */
    public LockRequest withOnNotGranted(OnNotGranted onNotGranted) {
        return with(new Use(kind(), releaseAfterTransaction(), onLost(), onNotGranted, method(), maxWaiters()));
    }

    /**
     * Returns a copy that is refused with {@link LockQueueFullException} if it would have to wait while this number of
     * callers of this instance wait for the lock. Zero refuses each caller that would have to wait. See {@link
     * DistributedLock#maxWaiters}.
     */
    public LockRequest withMaxWaiters(int maxWaiters) {
        if (maxWaiters < 0) {
            throw new IllegalArgumentException(Printable.of("Lock '" + LoggedNames.ofStatic(this.name)
                    + "': maxWaiters must be zero or more, but is " + maxWaiters + "."));
        }
        return with(new Use(kind(), releaseAfterTransaction(), onLost(), onNotGranted(), method(), maxWaiters));
    }

    /** Returns a copy that stores the annotated method for which the request is made. */
    public LockRequest withMethod(Method method) {
        return with(new Use(kind(), releaseAfterTransaction(), onLost(), onNotGranted(), method, maxWaiters()));
    }

    /** Returns the static name, which is the tag of meters and the name in events. */
    public String name() {
        return this.name;
    }

    /** Returns the key under the static name, which may be empty. */
    public String key() {
        return this.lockName.length() > this.name.length() ? this.lockName.substring(this.name.length() + 1) : "";
    }

    /** Returns the full name of the lock. */
    public String lockName() {
        return this.lockName;
    }

    /** Returns the wait, or {@code null} if the configured default applies. */
    public @Nullable Duration waitTime() {
        return this.waitTime;
    }

    /** Returns the fixed lease; {@code null} or {@code Duration.ofMillis(-1)} if the lease is renewed. */
    public @Nullable Duration lease() {
        return this.lease;
    }

    /**
     * Returns the longest time of renewal, {@code Duration.ofMillis(-1)} for no limit, or {@code null} for the default.
     */
    public @Nullable Duration maxHold() {
        return this.maxHold;
    }

    /** Returns the minimum hold, which is zero if there is none. */
    public Duration minHold() {
        return this.minHold != null ? this.minHold : Duration.ZERO;
    }

    /** Returns whether a minimum hold was set, even to zero; otherwise a property for the name may set one. */
    public boolean isMinHoldSet() {
        return this.minHold != null;
    }

    /** Returns the behaviour of {@link LockRegistry#execute} on a loss. */
    public OnLost onLost() {
        return this.use.onLost();
    }

    /** Returns how the caller reacts if the lock is not granted. */
    public OnNotGranted onNotGranted() {
        return this.use.onNotGranted();
    }

    /**
     * Returns how many callers of this instance may wait for the lock, or {@code null} if the configured default
     * applies.
     */
    public @Nullable Integer maxWaiters() {
        return this.use.maxWaiters();
    }

    /**
     * Returns whether a running transaction keeps the lock until it has completed; {@code null}, if not set, means no.
     */
    public @Nullable Boolean releaseAfterTransaction() {
        return this.use.releaseAfterTransaction();
    }

    /**
     * Returns the annotated method that runs under the lock, or {@code null} if the request is not for such a method.
     */
    public @Nullable Method method() {
        return this.use.method();
    }

    /** Returns the mode in which the lock is requested. */
    public LockMode mode() {
        return this.use.kind().mode();
    }

    /** Returns the number of permits requested; 0 for a lock. */
    public int weight() {
        return this.use.kind().weight();
    }

    /** Returns the number of permits that all holders may have together; 0 for a lock. */
    public int permits() {
        return this.use.kind().permits();
    }

    private Kind kind() {
        return this.use.kind();
    }

    private static String join(String name, String key) {
        if (key.length() > MAX_NAME_BYTES) {
            // A key of any length may be passed, so a key that is too long is rejected before it is copied.
            throw tooLong(name, key.length());
        }
        String lockName = key.isEmpty() ? name : name + ':' + key;
        requireUsable(lockName);
        return lockName;
    }

    private static void requireUsable(String lockName) {
        if (lockName.isBlank()) {
            throw new IllegalArgumentException("The name of a lock must not be blank.");
        }
        // A char has one to three bytes in UTF-8, so most names need not be encoded.
        int length = lockName.length();
        boolean unclear = length > MAX_NAME_BYTES / 3 && length <= MAX_NAME_BYTES;
        int bytes = unclear ? lockName.getBytes(StandardCharsets.UTF_8).length : length;
        if (bytes > MAX_NAME_BYTES) {
            throw tooLong(lockName, bytes);
        }
    }

    private static IllegalArgumentException tooLong(String lockName, int bytes) {
        return new IllegalArgumentException(Printable.of("The name of a lock must be at most " + MAX_NAME_BYTES
                + " bytes long, but one that begins with '" + beginning(lockName) + "' has at least " + bytes
                + ". Use a digest of the key."));
    }

    /** Returns the beginning of the static name, without the key, which may be personal data. */
    private static String beginning(String lockName) {
        int colon = lockName.indexOf(':');
        return lockName.substring(0, Math.min(colon >= 0 ? colon : lockName.length(), MAX_SHOWN));
    }

    /** Returns a string that the requests for many locks share for their static name. */
    private static String shared(String name) {
        String known = STATIC_NAMES.get(name);
        if (known == null && STATIC_NAMES.size() < MAX_SHARED) {
            // Not computeIfAbsent(): an exhausted stack in its function would block names for ever.
            known = STATIC_NAMES.putIfAbsent(name, name);
        }
        return known != null ? known : name;
    }

    /** Returns a text for logs: the part of the name up to the first colon and a digest, never the key. */
    @Override
    public String toString() {
        return "LockRequest[" + LoggedNames.WITHOUT_KEYS.of(this.lockName) + ']';
    }

    private void require(boolean valid, String what, Duration value, String range) {
        require(valid, what, value, range, ", or -1 ms for no limit");
    }

    private void require(boolean valid, String what, Duration value, String range, String orElse) {
        if (!valid || value.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    Printable.of("Lock '" + LoggedNames.ofStatic(this.name) + "': the " + what + " must be " + range
                            + " and at most " + MAX_TIME.toDays() + " days" + orElse + ", but is " + value + "."));
        }
    }
}
