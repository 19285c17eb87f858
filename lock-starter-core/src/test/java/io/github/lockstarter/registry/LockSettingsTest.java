package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What follows from what, and refusals that say which property is wrong. */
class LockSettingsTest {

    private static final Duration DAYS = Duration.ofDays(4000);

    private static final Duration NEGATIVE = Duration.ofMillis(-2);

    private static final LockSettings GOOD = LockSettings.of(Duration.ofSeconds(30));

    @Test
    void shouldFollowFromTheWatchdogTimeout() {
        assertThat(GOOD.waitTime()).isEqualTo(Duration.ofSeconds(10));
        assertThat(GOOD.onLost()).isEqualTo(OnLost.THROW);
        assertThat(GOOD.renewInterval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(GOOD.maxHold()).isNull();
        assertThat(GOOD.commandTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(GOOD.pollInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(GOOD.shutdownTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(GOOD.handOff()).isEqualTo(new HandOffSettings(Duration.ofMillis(10), 64));
        assertThat(GOOD.releaseMode()).isEqualTo(ReleaseMode.AWAIT);

        LockSettings quick = LockSettings.of(Duration.ofMillis(600));
        assertThat(quick.renewInterval()).isEqualTo(Duration.ofMillis(200));
        assertThat(quick.commandTimeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(quick.pollInterval()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void shouldCapARequestWithAMinimumHoldAsAnyOther() {
        LockSettings settings = LockSettings.of(
                Duration.ZERO,
                OnLost.THROW,
                Duration.ofSeconds(30),
                null,
                Duration.ofSeconds(50),
                null,
                null,
                Duration.ZERO);

        Terms terms = new LeaseTerms(settings).of(LockRequest.of("a").withMinHold(Duration.ofSeconds(1)));

        assertThat(Duration.ofNanos(terms.maxHold()))
                .as("max-hold of the settings for a request with a minimum hold")
                .isEqualTo(Duration.ofSeconds(50));
        assertThat(Duration.ofNanos(terms.minHold())).as("minimum hold").isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void shouldTakeMinusOneForNoCap() {
        LockSettings settings = with(LockRequest.FOREVER, null, null, Duration.ofMillis(-1), null, null, null);

        assertThat(settings.maxHold()).isNull();
        assertThat(settings.waitTime()).isEqualTo(LockRequest.FOREVER);
    }

    /** Zero is a time to wait, and no time for anything else but the stop. */
    @Test
    void shouldRefuseTimes() {
        shouldRefuse("wait-time", wrong -> with(wrong, null, null, null, null, null, null), NEGATIVE, DAYS);
        shouldRefuse(
                "watchdog.timeout",
                wrong -> with(null, wrong, null, null, null, null, null),
                Duration.ofMillis(99),
                Duration.ZERO,
                NEGATIVE,
                DAYS);
        shouldRefuse(
                "watchdog.max-hold",
                wrong -> with(null, null, null, wrong, null, null, null),
                Duration.ZERO,
                Duration.ofNanos(999_999),
                NEGATIVE,
                DAYS);
        shouldRefuse(
                "redis.command-timeout",
                wrong -> with(null, null, null, null, wrong, null, null),
                Duration.ZERO,
                NEGATIVE,
                DAYS);
        shouldRefuse(
                "redis.poll-interval",
                wrong -> with(null, null, null, null, null, wrong, null),
                Duration.ZERO,
                NEGATIVE,
                DAYS);
        shouldRefuse("shutdown-timeout", wrong -> with(null, null, null, null, null, null, wrong), NEGATIVE, DAYS);
        assertThatCode(() -> with(Duration.ZERO, Duration.ofMillis(100), null, null, null, null, Duration.ZERO))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseRenewIntervalsWithoutRoomForARetry() {
        // 21 + 2 x 3 are nine tenths of 30
        assertThatCode(() -> with(null, null, Duration.ofSeconds(21), null, null, null, null))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(InvalidLockSettingException.class)
                .isThrownBy(() -> with(null, null, Duration.ofMillis(21_001), null, null, null, null))
                .withMessageContainingAll("distributed-lock.watchdog.timeout", "(21s1ms)", "(3s)", "at least 31s");
        shouldRefuse(
                "watchdog.renew-interval",
                wrong -> with(null, null, wrong, null, null, null, null),
                Duration.ZERO,
                NEGATIVE,
                DAYS);
    }

    @Test
    void shouldChangeNothingElse() {
        HandOffSettings never = new HandOffSettings(Duration.ZERO, 0);

        LockSettings changed = GOOD.withHandOff(never).withReleaseMode(ReleaseMode.BACKGROUND);

        assertThat(changed.handOff()).isEqualTo(never);
        assertThat(changed.releaseMode()).isEqualTo(ReleaseMode.BACKGROUND);
        assertThat(changed.withReleaseMode(ReleaseMode.AWAIT).withHandOff(HandOffSettings.DEFAULT))
                .isEqualTo(GOOD);
    }

    @Test
    void shouldRefuseHandOffs() {
        shouldRefuse(
                "handoff.max-time",
                wrong -> GOOD.withHandOff(new HandOffSettings(wrong, 64)),
                NEGATIVE,
                Duration.ofMillis(10_001),
                DAYS);
        assertThatCode(() -> new HandOffSettings(Duration.ofSeconds(10), 10_000))
                .doesNotThrowAnyException();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HandOffSettings(Duration.ZERO, 10_001))
                .withMessageContaining("at most 10000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HandOffSettings(Duration.ZERO, -1))
                .withMessageStartingWith("distributed-lock.handoff.max-count ")
                .withMessageContaining("-1");
    }

    /** The connection is that of all locks, and so is the time for an answer. */
    @Test
    void shouldLeaveTimeForARetryOfTheShortestTimeoutByName() {
        SettingsByName named = new SettingsByName(List.of(new NamedSettings(
                "event",
                null,
                null,
                null,
                null,
                null,
                new NamedValue<>("locks.event.watchdog-timeout", Duration.ofSeconds(6)),
                null)));

        assertThat(LockSettings.defaultCommandTimeout(Duration.ofSeconds(30), named))
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(LockSettings.defaultCommandTimeout(Duration.ofSeconds(30), SettingsByName.NONE))
                .isEqualTo(Duration.ofSeconds(3));
        assertThatExceptionOfType(InvalidLockSettingException.class)
                .isThrownBy(() -> GOOD.withNamed(named))
                .satisfies(rejection -> assertThat(rejection.involved())
                        .containsOnlyKeys(
                                "distributed-lock.locks.event.watchdog-timeout",
                                "distributed-lock.redis.command-timeout"))
                .satisfies(rejection -> assertThat(rejection.remedy()).contains("at least 11s"));
        assertThatCode(() -> commandTimeout(1700).withNamed(named)).doesNotThrowAnyException();
        assertThatExceptionOfType(InvalidLockSettingException.class)
                .isThrownBy(() -> commandTimeout(1701).withNamed(named));
    }

    private static LockSettings commandTimeout(int millis) {
        return with(null, null, null, null, Duration.ofMillis(millis), null, null);
    }

    @Test
    void shouldRefuseADefaultThatMeansItself() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockSettings.of(
                        GOOD.waitTime(),
                        OnLost.DEFAULT,
                        GOOD.watchdogTimeout(),
                        null,
                        null,
                        null,
                        null,
                        GOOD.shutdownTimeout()))
                .withMessageStartingWith("distributed-lock.on-lost ");
    }

    private static void shouldRefuse(String property, Function<Duration, LockSettings> settings, Duration... wrong) {
        for (Duration value : wrong) {
            assertThatIllegalArgumentException()
                    .as("%s of %s", property, value)
                    .isThrownBy(() -> settings.apply(value))
                    .withMessageStartingWith("distributed-lock." + property + " ")
                    .withMessageContaining("but is " + Printable.duration(value) + ".");
        }
    }

    /** Good settings, but for what is not null. */
    private static LockSettings with(
            Duration waitTime,
            Duration watchdogTimeout,
            Duration renewInterval,
            Duration maxHold,
            Duration commandTimeout,
            Duration pollInterval,
            Duration shutdownTimeout) {
        return LockSettings.of(
                waitTime != null ? waitTime : GOOD.waitTime(),
                OnLost.THROW,
                watchdogTimeout != null ? watchdogTimeout : GOOD.watchdogTimeout(),
                renewInterval,
                maxHold,
                commandTimeout,
                pollInterval,
                shutdownTimeout != null ? shutdownTimeout : GOOD.shutdownTimeout());
    }
}
