package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LoggedNames;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.RedisSystemException;

/** What depends on the connection; DifferentialTest compares arguments and results with a real Redis. */
class ScriptCommandsTest {

    private static final String KEY = "lock:{a}";

    private static final Command RELEASE = new Command.Release("a", "id", 0, 0, null);

    private static final Command RENEW = new Command.Renew("a", "id", 1_000);

    private final ScriptCommands commands = new ScriptCommands(new LockKeys("lock", LoggedNames.WITH_KEYS), 2_000);

    @Test
    void shouldJoinTheLineOnlyWhenTheSubscriptionIsDecided() {
        Command acquire = new Command.Acquire("a", "id", 1_000, true);

        assertThat(this.commands.callOf(acquire, null).arguments).containsExactly("id", KEY, "1000");
        assertThat(this.commands.callOf(acquire, "2000:").arguments).containsExactly("id", KEY, "1000", "2000:");
        assertThat(this.commands.callOf(acquire, "9:me").arguments).containsExactly("id", KEY, "1000", "9:me");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 3})
    void shouldBeAReleaseIfItMayHaveBeenExecutedTwice(long notOwned) {
        assertThat(this.commands.callOf(RELEASE, null).arguments).containsExactly("id", KEY);
        assertThat(this.commands.toReply(RELEASE, notOwned, false))
                .isInstanceOfAny(Reply.NotOwner.class, Reply.LeftLine.class);

        assertThat(this.commands.toReply(RELEASE, notOwned, true)).isEqualTo(Reply.Released.INSTANCE);
    }

    @Test
    void shouldFailIfADowngradeMayHaveBeenExecutedTwice() {
        Command downgrade = new Command.Downgrade("a", "id", 0, 1_000);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> this.commands.toReply(downgrade, 0L, true))
                .withMessageContaining("lock 'a'")
                .satisfies(ex -> assertThat(ex.isOutcomeUnknown()).isTrue());
    }

    @Test
    void shouldReadTheOutcomesOfSeveralRenewals() {
        List<Command.Renew> renewals = List.of(
                new Command.Renew("a", "1", 1_000),
                new Command.Renew("b", "2", 1_000),
                new Command.Renew("c", "3", 1_000),
                new Command.Renew("d", "4", 1_000),
                new Command.Renew("e", "5", 1_000));
        Command all = new Command.RenewAll(renewals);

        assertThat(this.commands.callOf(all, null).arguments).containsExactly("1000", "1;2;3;4;5;5;5;5");
        assertThat(this.commands.callOf(all, null).keys)
                .as("the last lock fills the call")
                .hasSize(8)
                .endsWith("lock:{d}", "lock:{e}", "lock:{e}", "lock:{e}", "lock:{e}");
        assertThat(this.commands.toReply(all, List.of(2L, 0L, 3L, -1L, 4L, bytes("OOM no memory"), 6L, 0L), false))
                .isEqualTo(new Reply.RenewedAll(List.of(
                        Reply.Renewed.INSTANCE,
                        Reply.NotOwner.FREE,
                        Reply.NotOwner.TAKEN,
                        new Reply.Failed("OOM no memory"),
                        Reply.Renewed.INSTANCE)));
    }

    @Test
    void shouldRefuseMoreRenewalsThanOneCallHasKeys() {
        List<Command.Renew> renewals = Collections.nCopies(65, new Command.Renew("a", "id", 1_000));

        assertThat(this.commands.callOf(new Command.RenewAll(renewals.subList(0, 64)), null).keys)
                .hasSize(64);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> this.commands.callOf(new Command.RenewAll(renewals), null))
                .withMessageContaining("64")
                .withMessageContaining("65");
    }

    @Test
    void shouldThrowTheErrorOfASingleRenewal() {
        assertThat(this.commands.toReply(RENEW, List.of(), false)).isEqualTo(Reply.Renewed.INSTANCE);
        assertThat(this.commands.toReply(RENEW, List.of(1L, -1L), false)).isEqualTo(Reply.NotOwner.TAKEN);

        assertThatExceptionOfType(RedisSystemException.class)
                .isThrownBy(() -> this.commands.toReply(RENEW, List.of(1L, "READONLY a replica"), false))
                .withMessage("READONLY a replica");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Written by another program. */
    @Test
    void shouldDescribeNumbersThatAreOutOfRangeAsUnknown() {
        Object result =
                List.of(bytes("~s"), 42L, 1_000L, -7L, List.of(), bytes("id.s1.2"), 42L, 900L, 1L + Integer.MAX_VALUE);

        StoredLock lock =
                ((Reply.Described) this.commands.toReply(new Command.Inspect("a", false), result, false)).lock();

        assertThat(lock).as("description").isNotNull();
        assertThat(lock.waiting())
                .as("number of waiters, negative if it is unknown")
                .isNegative();
        assertThat(lock.holders())
                .as("the holder, of which no weight is known")
                .containsExactly(new StoredHolder("id.s1.2", 42, 900, 0));
    }
}
