package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What the log says of leases in trouble. */
class LoggingLockListenerTest {

    private long nanos = -42;

    @AutoClose
    private final LogCapture lines = new LogCapture(LoggingLockListener.class, Level.DEBUG);

    private final LoggingLockListener log =
            new LoggingLockListener(new LineLimit(() -> this.nanos), LoggedNames.WITH_KEYS);

    private void atRisk(String name, String key) {
        this.log.atRisk(
                new LockAtRiskEvent(grant(name, key), Duration.ofMillis(1234), new IllegalStateException("no answer")));
    }

    private void lost(String name, String key) {
        this.log.lost(new LockLostEvent(grant(name, key), LossReason.TAKEN_OVER, Duration.ofMillis(4321)));
    }

    private void releaseRequested(String name, String key) {
        this.log.releaseRequested(new LockReleaseRequestedEvent(grant(name, key), Duration.ofMillis(4321)));
    }

    private static LockEvent.Grant grant(String name, String key) {
        return new LockEvent.Grant(LockRequest.of(name, key), 7, "id");
    }

    private Level lastLevel() {
        return this.lines.events().get(this.lines.events().size() - 1).getLevel();
    }

    @Test
    void shouldWarnOnceForANameAndThenGoOnAtDebug() {
        atRisk("orders", "1");
        assertThat(this.lines.events()).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("'orders:1'", "7", "1234 ms", "no answer");
        });

        atRisk("orders", "1");
        atRisk("orders", "2");
        assertThat(this.lines.events().subList(1, 3))
                .extracting(ILoggingEvent::getLevel)
                .containsOnly(Level.DEBUG);
        assertThat(this.lines.events().get(2).getFormattedMessage()).contains("'orders:2'");

        atRisk("invoices", "1");
        assertThat(lastLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void shouldSayWhenARenewalIsOnlyLate() {
        this.log.atRisk(new LockAtRiskEvent(grant("orders", ""), Duration.ofMillis(1234), null));

        assertThat(this.lines.events()).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("'orders'", "late");
        });
    }

    /** One line for each holder of a shared lock would be many. */
    @Test
    void shouldLogARequestToReleaseOnceForANameAndThenGoOnAtDebug() {
        releaseRequested("orders", "1");
        releaseRequested("orders", "2");

        assertThat(this.lines.events()).extracting(ILoggingEvent::getLevel).containsExactly(Level.INFO, Level.DEBUG);
        assertThat(this.lines.events().get(0).getFormattedMessage()).contains("'orders:1'", "7", "4321 ms");
        assertThat(this.lines.events().get(1).getFormattedMessage()).contains("'orders:2'");
    }

    @Test
    void shouldSayWithNameTokenTimeAndReasonWhatIsLost() {
        lost("orders", "1");
        lost("orders", "1");

        assertThat(this.lines.events()).hasSize(2).allSatisfy(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.ERROR);
            assertThat(line.getFormattedMessage()).contains("'orders:1'", "token 7", "4321 ms", "TAKEN_OVER");
        });
    }

    @Test
    void shouldSayThatOneIsSafeAgain() {
        LockRecoveredEvent recovered = new LockRecoveredEvent(grant("orders", "1"), Duration.ofSeconds(20));
        this.log.recovered(recovered);
        assertThat(this.lines.events()).isEmpty();
        atRisk("orders", "1");

        this.log.recovered(recovered);

        assertThat(lastLevel()).isEqualTo(Level.INFO);
        this.log.recovered(recovered);
        assertThat(this.lines.events()).hasSize(2);
    }

    /** As in an outage in which all leases of a name are lost, or renewed by chance. */
    @Test
    void shouldWarnOnceAMinuteAlthoughLeasesAreLostOrSafeAgain() {
        for (int i = 0; i < 100; i++) {
            atRisk("orders", "a" + i);
            this.log.recovered(new LockRecoveredEvent(grant("orders", "a" + i), Duration.ofSeconds(20)));
            atRisk("orders", "b" + i);
            lost("orders", "b" + i);
        }
        assertThat(this.lines.events())
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .hasSize(1);

        this.nanos += Duration.ofMinutes(1).toNanos();
        atRisk("orders", "a");

        assertThat(lastLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void shouldNotRememberNamesWithoutEnd() {
        for (int i = 0; i < 300; i++) {
            atRisk("lock-" + i, "");
        }

        assertThat(this.lines.events())
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .hasSize(200);
    }

    @Test
    void shouldNotReportAsSafeAgainAfterALoss() {
        atRisk("orders", "1");
        lost("orders", "1");

        this.log.recovered(new LockRecoveredEvent(grant("orders", "2"), Duration.ofSeconds(20)));

        assertThat(this.lines.with("safe again"))
                .as("recovery of a lease whose risk was not reported")
                .isEmpty();
    }

    @Test
    void shouldHideKeysInEachLine() {
        LoggingLockListener hiding = new LoggingLockListener(new LineLimit(() -> 0), LoggedNames.WITHOUT_KEYS);
        LockEvent.Grant grant = grant("orders", "secret");
        hiding.atRisk(new LockAtRiskEvent(grant, Duration.ofMillis(1234), null));
        hiding.recovered(new LockRecoveredEvent(grant, Duration.ofSeconds(20)));
        hiding.lost(new LockLostEvent(grant, LossReason.EXPIRED, Duration.ofMillis(4321)));

        assertThat(this.lines.with("'orders:"))
                .as("lines of a risk, a recovery and a loss")
                .hasSize(3)
                .noneMatch(line -> line.contains("secret"));
    }
}
