package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** How a lock goes from one to the next, with the store in memory. */
class InMemoryHandOverTest {

    @Nested
    class HandOver extends HandOverContract {
        HandOver() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class HandOverMix extends HandOverMixContract {
        HandOverMix() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class BackgroundRelease extends BackgroundReleaseContract {
        BackgroundRelease() {
            super(new InMemoryBackend());
        }
    }
}
