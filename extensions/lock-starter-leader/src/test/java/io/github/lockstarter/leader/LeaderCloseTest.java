package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.ROLE;
import static io.github.lockstarter.leader.Instance.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.leader.LeaderOnlyTest.Worker;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Contexts that are closed by what works for a role, or while it works. No wait of them may need its timeout. */
@Timeout(120)
class LeaderCloseTest {

    private static final List<String> LONG_TIMEOUTS = List.of(
            "--distributed-lock.leader.roles.feed.stop-timeout=10m",
            "--distributed-lock.shutdown-timeout=10m",
            "--spring.lifecycle.timeout-per-shutdown-phase=10m");

    @Test
    void shouldCloseFromACallOfTheLeaderWhenTheBeansHaveStopped() throws Exception {
        Instance instance = Instance.inMemory(LONG_TIMEOUTS, Worker.class, Job.class);
        Worker feed = instance.bean(Worker.class);
        Instance.Recorder recorder = instance.bean(Instance.Recorder.class);
        eventually().until(feed::isRunning);

        List<String> seen =
                CompletableFuture.supplyAsync(instance.bean(Job.class)::close).get(60, TimeUnit.SECONDS);

        assertThat(seen).containsExactly("Granted", "Revoked");
        assertThat(feed.isRunning()).isFalse();
        assertThat(recorder.events).hasSize(2);
    }

    @Test
    void shouldPublishTheRevocationIfAListenerCloses() throws Exception {
        Instance instance = Instance.inMemory(LONG_TIMEOUTS, Worker.class, ClosingListener.class);
        Instance.Recorder recorder = instance.bean(Instance.Recorder.class);
        Worker feed = instance.bean(Worker.class);

        instance.bean(ClosingListener.class).closed.get(60, TimeUnit.SECONDS);

        assertThat(recorder.events).hasSize(2);
        assertThat(recorder.events.get(1)).isInstanceOf(LeadershipRevokedEvent.class);
        assertThat(feed.isRunning()).isFalse();
    }

    @Test
    void shouldPublishTheRevocationIfABlockedStartIsInterrupted() {
        Instance instance = Instance.inMemory(
                List.of("--distributed-lock.leader.roles.feed.stop-timeout=100ms"), BlockedFeed.class);
        Instance.Recorder recorder = instance.bean(Instance.Recorder.class);
        BlockedFeed feed = instance.bean(BlockedFeed.class);
        eventually().until(feed::isStarting);

        instance.close();

        assertThat(recorder.events).hasSize(2);
        assertThat(recorder.events.get(1)).isInstanceOf(LeadershipRevokedEvent.class);
    }

    static class Job {

        private final ConfigurableApplicationContext context;

        private final Instance.Recorder recorder;

        Job(ConfigurableApplicationContext context, Instance.Recorder recorder) {
            this.context = context;
            this.recorder = recorder;
        }

        /** Closes the context, and returns the events that were published until then. */
        @LeaderOnly(value = ROLE, onLost = OnLost.IGNORE)
        List<String> close() {
            this.context.close();
            return this.recorder.names();
        }
    }

    static class ClosingListener {

        final CompletableFuture<Boolean> closed = new CompletableFuture<>();

        private final ConfigurableApplicationContext context;

        ClosingListener(ConfigurableApplicationContext context) {
            this.context = context;
        }

        @EventListener
        @Order(Ordered.LOWEST_PRECEDENCE)
        void on(LeadershipGrantedEvent event) {
            this.context.close();
            this.closed.complete(true);
        }
    }

    @LeaderOnly(ROLE)
    static class BlockedFeed implements SmartLifecycle {

        private volatile boolean starting;

        boolean isStarting() {
            return this.starting;
        }

        @Override
        public void start() {
            this.starting = true;
            try {
                Thread.sleep(600_000);
            } catch (InterruptedException ex) {
                // It reacts to the interrupt with a delay, which another interrupt does not end.
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
                while (System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
                throw new IllegalStateException(ex);
            }
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
