package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How messages name a holder. */
class LockHolderTest {

    @Test
    void shouldNameApplicationHostAndProcess() {
        assertThat(new LockHolder("id", "billing", "host-7", 4711L, Instant.EPOCH))
                .hasToString("billing@host-7 (pid 4711)");
        assertThat(new LockHolder("id", "billing", null, 4711L, null)).hasToString("billing (pid 4711)");
        assertThat(new LockHolder("id", "billing", null, null, null)).hasToString("billing");
    }

    @Test
    void shouldNameTheIdWhileTheRestIsUnknown() {
        assertThat(new LockHolder("0123456789a")).hasToString("0123456789a");
    }

    /** Another tool can write anything in the place of an id, and into a description. */
    @Test
    void shouldBePrintable() {
        assertThat(new LockHolder("a\nb")).hasToString("a\\u000Ab");
        assertThat(new LockHolder("id", "a\nb", "\u202Ec", null, null)).hasToString("a\\u000Ab@\\u202Ec");
    }
}
