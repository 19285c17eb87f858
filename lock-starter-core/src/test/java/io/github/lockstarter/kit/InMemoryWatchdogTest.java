package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** Renewal, and those who listen, with the store in memory. */
class InMemoryWatchdogTest {

    @Nested
    class Watchdog extends WatchdogKit {
        Watchdog() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Listener extends ListenerKit {
        Listener() {
            super(new InMemoryBackend());
        }
    }
}
