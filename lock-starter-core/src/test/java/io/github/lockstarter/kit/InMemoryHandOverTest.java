package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** How a lock goes from one to the next, with the store in memory. */
class InMemoryHandOverTest {

    @Nested
    class HandOver extends HandOverKit {
        HandOver() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class HandOverMix extends HandOverMixKit {
        HandOverMix() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class HandOverStop extends HandOverStopKit {
        HandOverStop() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class BackgroundRelease extends BackgroundReleaseKit {
        BackgroundRelease() {
            super(new InMemoryBackend());
        }
    }
}
