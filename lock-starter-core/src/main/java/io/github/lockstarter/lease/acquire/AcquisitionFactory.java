package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Begins acquisitions, with the settings as defaults of their requests. */
public final class AcquisitionFactory {

    private final LeaseClock clock;

    private final LockSettings settings;

    private final LeaseTerms terms;

    public AcquisitionFactory(LeaseClock clock, LockSettings settings, LeaseTerms terms) {
        this.clock = clock;
        this.settings = settings;
        this.terms = terms;
    }

    /**
     * Begins an acquisition.
     *
     * @param waitTime null: that of the request, or else of the settings
     * @param owner thread to which the grant will belong; null: none
     */
    public Acquisition begin(LockRequest request, @Nullable Duration waitTime, @Nullable Thread owner) {
        return new Acquisition(this.clock, this.settings, this.terms, request, waitTime, owner);
    }
}
