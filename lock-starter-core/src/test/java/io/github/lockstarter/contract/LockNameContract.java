package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Any text that is not blank and not too long is the name of a lock, and no two texts are the same lock. */
abstract class LockNameContract extends RegistryFixture {

    /** Special to keys (braces and percent), to Redis (globs), or to UTF-8, which has no unpaired surrogates. */
    private static final List<String> PIECES =
            List.of(("a|b|A|:|::|{|}|{}|}{|%|%7B|%7b|%25|%u|%uD800|*|?|[|]|\\|/|'|\"|$"
                            + "|\r\n|\n|\t| |\u0000|\u0001|\u007f|\u0085|\u00a0|é|e\u0301|ß|ſ|İ|日本|🔒"
                            + "|\ud83d|\udd12|\ud800|\udfff|\ufeff|\ufffd|lock|inbox|released")
                    .split("\\|", -1));

    @Test
    void shouldTakeAnyTextForALockOfItsOwn() throws Exception {
        Set<String> names =
                new LinkedHashSet<>(List.of("a:b", "a:b:c", "{a}", "a}", "a%7D", "a%257D", "::", "a\u0000b"));
        PIECES.stream().filter(piece -> !piece.isBlank()).forEach(names::add);
        LeasingLockRegistry here = registry(settings(LONG));
        LeasingLockRegistry there = registry(settings(LONG));
        Map<String, Lease> leases = new HashMap<>();

        for (String name : names) {
            leases.put(
                    name,
                    here.tryAcquire(LockRequest.of(name).withWaitTime(Duration.ZERO))
                            .orElseThrow(() -> new AssertionError(printable(name) + " is the lock of another name")));
        }

        assertThat(backend().locked()).hasSameSizeAs(names);
        for (String name : names) {
            assertThat(there.getLock(name).tryLock()).as(printable(name)).isFalse();
            assertThat(leases.get(name).name()).isEqualTo(name);
            assertThat(leases.get(name).release()).as(printable(name)).isTrue();
            assertThat(there.getLock(name).tryLock()).as(printable(name)).isTrue();
            there.getLock(name).unlock();
        }
    }

    private static String printable(String name) {
        StringBuilder printable = new StringBuilder();
        name.chars().forEach(c -> printable.append(c > 32 && c < 127 ? (char) c : String.format("\\u%04x", c)));
        return printable.toString();
    }

    @Test
    void shouldBeOneLockHoweverItIsSpelled() throws Exception {
        LeasingLockRegistry registry = registry();
        try (Lease lease = registry.acquire(LockRequest.of("orders", "42"))) {
            assertThat(lease.name()).isEqualTo("orders:42");
            assertThat(registry().getLock("orders:42").tryLock()).isFalse();
        }
        try (Lease lease = registry.acquire(LockRequest.of("orders", ""))) {
            assertThat(lease.name()).isEqualTo("orders");
            assertThat(registry().getLock("orders").tryLock()).isFalse();
        }
    }

    @Test
    void shouldTakeNamesOfUpToFiveHundredAndTwelveBytes() throws Exception {
        LeasingLockRegistry registry = registry();
        for (String name : List.of("x".repeat(512), "é".repeat(256), "日".repeat(170) + "xx", "🔒".repeat(128))) {
            try (Lease lease = registry.acquire(LockRequest.of(name))) {
                assertThat(registry().getLock(name).tryLock()).isFalse();
                assertThat(lease.name()).isEqualTo(name);
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> registry.getLock(name + "x"))
                    .withMessageContaining("512");
            assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(name, "x"));
        }
    }

    @Test
    void shouldRefuseBlankNames() {
        LeasingLockRegistry registry = registry();
        for (String blank : List.of("", " ", "\t\r\n", "\u2003")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> registry.getLock(blank))
                    .withMessageContaining("blank");
            assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(blank));
            assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(blank, "key"));
        }
    }
}
