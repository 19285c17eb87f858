package io.github.lockstarter.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

/** Which settings a lock gets by its name, and what a request gets from them. */
class SettingsByNameTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void shouldPreferTheExactName() {
        SettingsByName settings = new SettingsByName(List.of(waiting("a.b", SECOND), waiting("a-b", MINUTE)));

        assertThat(waitTime(settings, "a.b")).isEqualTo(SECOND);
        assertThat(waitTime(settings, "a-b")).isEqualTo(MINUTE);
        assertThat(waitTime(settings, "a_c")).isNull();
    }

    /** The name in an environment variable has no punctuation, and is in lower case when it arrives. */
    @Test
    void shouldFindTheNameOfAVariable() {
        SettingsByName settings = new SettingsByName(List.of(waiting("ticketofficesell", SECOND)));

        assertThat(waitTime(settings, "TicketOffice.sell")).isEqualTo(SECOND);
        assertThat(waitTime(settings, "ticket-office:sell")).isEqualTo(SECOND);
        assertThat(waitTime(settings, "TicketOffice.sells")).isNull();
        assertThat(waitTime(new SettingsByName(List.of(waiting("TicketOffice.sell", SECOND))), "ticketOffice.sell"))
                .as("wait time of another name, which differs from the name in the properties in case")
                .isNull();
        // The cached result.
        assertThat(waitTime(settings, "TicketOffice.sell")).isEqualTo(SECOND);
        assertThat(waitTime(settings, "TicketOffice.sells")).isNull();
    }

    /** An environment variable comes before a file. */
    @Test
    void shouldMergeSpellingsValueByValue() {
        NamedSettings file =
                new NamedSettings("TicketOffice.sell", value(MINUTE), null, value(MINUTE), null, null, null, null);
        NamedSettings variable = waiting("ticketofficesell", SECOND);

        SettingsByName settings = new SettingsByName(List.of(variable, file));

        assertThat(waitTime(settings, "TicketOffice.sell")).isEqualTo(SECOND);
        assertThat(settings.find("TicketOffice.sell").maxHold()).isEqualTo(value(MINUTE));
        assertThat(settings.spellingsOf("TicketOffice.sell")).containsExactly(variable, file);
        assertThat(waitTime(new SettingsByName(List.of(file, variable)), "TicketOffice.sell"))
                .isEqualTo(MINUTE);
    }

    @Test
    void shouldTakeEachValueFromTheOnlySpellingThatHasIt() {
        NamedSettings all = new NamedSettings(
                "event",
                value(SECOND),
                value(MINUTE),
                value(MINUTE),
                value(SECOND),
                new NamedValue<>("", OnLost.IGNORE),
                value(MINUTE),
                null);

        SettingsByName settings = new SettingsByName(List.of(NamedSettings.of("E-vent"), all));

        assertThat(settings.find("E-vent"))
                .as("settings of which only the second spelling has values")
                .usingRecursiveComparison()
                .ignoringFields("name")
                .isEqualTo(all);
    }

    @Test
    void shouldNotRememberNamesWithoutEnd() {
        SettingsByName settings = new SettingsByName(List.of(waiting("event", SECOND)));

        for (int i = 0; i < 1_100; i++) {
            settings.find("lock-" + i);
        }

        assertThat((Map<?, ?>) ReflectionTestUtils.getField(settings, "found"))
                .as("results that are remembered, of 1,100 names")
                .hasSize(1_000);
        assertThat(waitTime(settings, "event")).isEqualTo(SECOND);
    }

    @Test
    void shouldMatchNamesWithoutLettersExactly() {
        SettingsByName settings = new SettingsByName(List.of(waiting("!", SECOND)));

        assertThat(waitTime(settings, "!")).isEqualTo(SECOND);
        assertThat(waitTime(settings, "?")).isNull();
    }

    @Test
    void shouldCompleteWhatARequestDoesNotSet() {
        NamedSettings all = new NamedSettings(
                "event",
                value(SECOND),
                value(MINUTE),
                value(MINUTE),
                value(SECOND),
                new NamedValue<>("", OnLost.IGNORE),
                null,
                null);
        SettingsByName settings = new SettingsByName(List.of(all));

        LockRequest completed = settings.complete(LockRequest.of("event:42"));
        assertThat(completed.lockName()).isEqualTo("event:42");
        assertThat(completed.waitTime()).isEqualTo(SECOND);
        assertThat(completed.lease()).isEqualTo(MINUTE);
        assertThat(completed.maxHold()).isEqualTo(MINUTE);
        assertThat(completed.minHold()).isEqualTo(SECOND);
        assertThat(completed.onLost()).isEqualTo(OnLost.IGNORE);

        LockRequest complete = LockRequest.of("event:42")
                .withWaitTime(Duration.ZERO)
                .withLease(LockRequest.FOREVER)
                .withMaxHold(LockRequest.FOREVER)
                .withMinHold(Duration.ZERO)
                .withOnLost(OnLost.THROW);
        assertThat(settings.complete(complete)).isSameAs(complete);
        LockRequest other = LockRequest.of("order");
        assertThat(settings.complete(other)).isSameAs(other);
    }

    @Test
    void shouldWriteNamesInBracketsThatPropertiesCannotSpell() {
        assertThat(NamedSettings.property("my-event2", "lease")).isEqualTo("locks.my-event2.lease");
        assertThat(NamedSettings.property("TicketOffice.sell", "max-hold"))
                .isEqualTo("locks.[TicketOffice.sell].max-hold");
    }

    /** Two spellings together make what neither does alone. */
    @Test
    void shouldRejectAMinimumHoldThatIsLongerThanTheLease() {
        NamedSettings hold = new NamedSettings(
                "event", null, null, null, new NamedValue<>("locks.event.min-hold", MINUTE), null, null, null);
        NamedSettings lease = new NamedSettings(
                "Event", null, new NamedValue<>("locks.[Event].lease", SECOND), null, null, null, null, null);

        assertThatExceptionOfType(InvalidLockSettingException.class)
                .isThrownBy(() -> new SettingsByName(List.of(hold, lease)))
                .satisfies(rejection -> assertThat(rejection.involved())
                        .containsOnlyKeys(
                                "distributed-lock.locks.event.min-hold", "distributed-lock.locks.[Event].lease"));
    }

    @Test
    void shouldAcceptAMinimumHoldBesideARenewedLease() {
        NamedSettings renewed =
                new NamedSettings("event", null, value(LockRequest.FOREVER), null, value(MINUTE), null, null, null);

        assertThat(renewed.minHold())
                .as("minimum hold beside a lease of -1, which is renewed")
                .isEqualTo(value(MINUTE));
    }

    private static NamedSettings waiting(String name, Duration waitTime) {
        return new NamedSettings(name, value(waitTime), null, null, null, null, null, null);
    }

    private static NamedValue<Duration> value(Duration time) {
        return new NamedValue<>("locks.x.y", time);
    }

    private static Duration waitTime(SettingsByName settings, String name) {
        NamedSettings found = settings.find(name);
        return found != null && found.waitTime() != null ? found.waitTime().value() : null;
    }
}
