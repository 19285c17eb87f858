package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.github.lockstarter.testsupport.LogCapture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Pauses between attempts to connect, and what the log shows of an outage. */
class ConnectionAttemptsTest {

    @AutoClose
    private final LogCapture log = new LogCapture(ConnectionAttempts.class, Level.DEBUG);

    private final ConnectionAttempts attempts = new ConnectionAttempts("Redis at shop:6379");

    private long fail() {
        return this.attempts.failed(new IllegalStateException("Connection refused"));
    }

    @Test
    void shouldTryAgainAfterPausesThatDoubleUpToASecond() {
        assertThat(LongStream.range(0, 100).map(i -> fail()).limit(8))
                .as("pauses in milliseconds after the first failures")
                .containsExactly(50L, 100L, 200L, 400L, 800L, 1000L, 1000L, 1000L);
        assertThat(fail()).as("pause in milliseconds of a long outage").isEqualTo(1000L);

        this.attempts.succeeded();

        assertThat(fail())
                .as("pause in milliseconds after the first failure of the next outage")
                .isEqualTo(50L);
    }

    @Test
    void shouldLogOneWarningAndOneRecoveryForEachOutage() {
        for (int outage = 0; outage < 2; outage++) {
            for (int i = 0; i < 5; i++) {
                fail();
            }
            this.attempts.succeeded();
            this.attempts.succeeded();
        }

        assertThat(this.log.events())
                .as("levels of the lines of two outages with five failures each")
                .extracting(ILoggingEvent::getLevel)
                .containsExactly(
                        Level.DEBUG,
                        Level.WARN,
                        Level.DEBUG,
                        Level.DEBUG,
                        Level.DEBUG,
                        Level.INFO,
                        Level.DEBUG,
                        Level.WARN,
                        Level.DEBUG,
                        Level.DEBUG,
                        Level.DEBUG,
                        Level.INFO);
        assertThat(this.log.with("Attempt"))
                .as("numbers of attempts")
                .first()
                .asString()
                .contains("Attempt 1 ");
        assertThat(this.log.with("Cannot connect"))
                .as("warnings, with the server, the reason and what to do")
                .hasSize(2)
                .allMatch(line -> line.contains("Redis at shop:6379")
                        && line.contains("Connection refused")
                        && line.contains("spring.data.redis"));
        assertThat(this.log.with("Connected to Redis at shop:6379"))
                .as("recoveries")
                .hasSize(2);
    }

    @Test
    void shouldNotLogAConnectionThatIsBackAtTheNextAttempt() {
        fail();
        this.attempts.succeeded();

        assertThat(this.log.events())
                .as("lines of a connection that was broken for a moment")
                .extracting(ILoggingEvent::getLevel)
                .containsExactly(Level.DEBUG);
    }

    @Test
    void shouldLogOnceTheConnectionThatTheStartReportedAsMissing() {
        this.attempts.startedWithout();
        this.attempts.succeeded();
        this.attempts.succeeded();

        assertThat(this.log.with("Connected to Redis at shop:6379"))
                .as("reports of the first connection")
                .hasSize(1);
    }
}
