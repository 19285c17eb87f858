package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The same faults, the same checker, and the real locks. */
@RedisTest
class PositiveControlTest {

    private static final Pace PACE = Pace.ofMillis(1200, 300, 100);

    private static final Duration SHORT = Duration.ofMillis(900);

    private static final Duration LONG = Duration.ofSeconds(10);

    @AutoClose
    private final Scene scene;

    private final RedisServer server;

    private final Contender one;

    private final Contender two;

    PositiveControlTest(RedisServer server) {
        this.scene = new Scene(PACE.limits(Duration.ofSeconds(1)));
        this.server = server;
        this.one = this.scene.client("one", server.port(), PACE);
        this.two = this.scene.client("two", server.port(), PACE);
    }

    @Test
    void shouldRefuseAWriteThatComesLateIfTheResourceLooksAtTokens() throws Exception {
        try (Register register = new Register(this.server.port())) {
            Visit late = this.one.tryAcquire(Scene.job(LONG, SHORT)).orElseThrow();
            String fenced = late.read(register, Register.FENCED);
            String bare = late.read(register, Register.BARE);
            // its lease has run out
            Visit next = this.two.tryAcquire(Scene.job(LONG)).orElseThrow();
            assertThat(next.write(register, Register.FENCED, next.read(register, Register.FENCED)))
                    .isTrue();
            assertThat(next.write(register, Register.BARE, next.read(register, Register.BARE)))
                    .isTrue();

            assertThat(late.look()).isFalse();
            assertThat(late.write(register, Register.FENCED, fenced)).isFalse();
            assertThat(late.write(register, Register.BARE, bare)).isTrue();
            assertThat(late.release()).isFalse();
            next.release();
        }
        assertThat(this.scene.violations()).isEmpty();
        assertThat(ResourceRule.lostUpdates(this.scene.history(), Register.BARE))
                .singleElement()
                .asString()
                .contains("bare")
                .contains("two 1 ACCEPTED")
                .contains("one 1 ACCEPTED");
    }

    @Test
    void shouldGiveLargerTokensAfterARestart() throws Exception {
        this.one.tryAcquire(Scene.job(LONG)).orElseThrow().release();

        this.server.restart();

        this.two.tryAcquire(Scene.job(LONG)).orElseThrow().release();
        assertThat(this.scene.violations()).isEmpty();
    }

    @Test
    void shouldFindACommandForALockThatHasEnded() throws Exception {
        try (CommandLog commands = CommandLog.of(this.server, this.scene.log("server"));
                RedisCli zombie = this.server.cli()) {
            this.one.tryAcquire(Scene.job(LONG)).orElseThrow().release();
            Pause.until(LONG, () -> this.scene.history().count(EventKind.NAMED) == 1);
            assertThat(this.scene.violations()).isEmpty();
            String id = this.scene
                    .history()
                    .events(EventKind.NAMED)
                    .findFirst()
                    .orElseThrow()
                    .text();

            Pause.of(PACE.command().plusMillis(1100));
            zombie.command("EVALSHA", CommandLog.digestOf("acquire"), "1", "lock:{job}", id, "1000");

            Pause.until(LONG, () -> !this.scene.violations().isEmpty());
        }
        assertThat(this.scene.violations())
                .singleElement()
                .asString()
                .startsWith("silence: A command for 'job' after its end: one/1")
                .contains("COMMAND job 0 0 acquire");
    }
}
