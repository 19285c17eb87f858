package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What holders of permits do, with the store in memory. */
class InMemoryPermitsTest {

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class PermitsWait extends PermitsWaitContract {
        PermitsWait() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class PermitsLimit extends PermitsLimitContract {
        PermitsLimit() {
            super(new InMemoryBackend());
        }
    }
}
