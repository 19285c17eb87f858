package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** Renewal, and those who listen, with the store in memory. */
class InMemoryWatchdogTest {

    @Nested
    class Watchdog extends WatchdogContract {
        Watchdog() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Listener extends ListenerContract {
        Listener() {
            super(new InMemoryBackend());
        }
    }
}
