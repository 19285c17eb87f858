package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.settings.LockSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Determines the lease of a request and the end of its renewals, with the settings as defaults. Immutable. */
public final class LeaseTerms {

    private final ByName<Long> watchdogMillis;

    private final @Nullable Duration maxHold;

    public LeaseTerms(LockSettings settings) {
        this.watchdogMillis =
                new ByName<>(settings, own -> own.watchdogTimeout().toMillis());
        this.maxHold = settings.maxHold();
    }

    /** Returns whether the watchdog renews grants of that request. */
    public static boolean isRenewed(LockRequest request) {
        Duration lease = request.lease();
        return lease == null || lease.isNegative();
    }

    /** Returns the lease of the request in milliseconds. */
    public long leaseMillis(LockRequest request) {
        Duration lease = request.lease();
        return lease == null || isRenewed(request) ? this.watchdogMillis.of(request.name()) : lease.toMillis();
    }

    /** Returns the time in nanoseconds until which a grant of {@code now} is renewed, or a constant of {@link Grant}. */
    public long renewUntil(LockRequest request, long now) {
        if (!isRenewed(request)) {
            return Grant.NOT_RENEWED;
        }
        Duration longest = request.maxHold() != null ? request.maxHold() : this.maxHold;
        return longest == null || LockRequest.FOREVER.equals(longest) ? Grant.UNCAPPED : now + longest.toNanos();
    }

    /** Returns the nanoseconds for which the owner of a fresh lease of that length may rely on it. */
    public static long usableNanos(long leaseMillis) {
        return TimeUnit.MILLISECONDS.toNanos(leaseMillis) - LeaseValidity.marginNanos(leaseMillis);
    }
}
