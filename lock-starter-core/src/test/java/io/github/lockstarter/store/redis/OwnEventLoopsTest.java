package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.Timer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Timeout(60)
class OwnEventLoopsTest {

    private final ClientResources application = DefaultClientResources.create();

    private final OwnEventLoops loops = new OwnEventLoops(new LettuceConnectionFactory(
            new RedisStandaloneConfiguration(),
            LettuceClientConfiguration.builder()
                    .clientResources(this.application)
                    .build()));

    @AfterEach
    void shutdown() throws Exception {
        this.loops.shutdown();
        this.application.shutdown(0, 1, TimeUnit.SECONDS).get();
    }

    /** Lettuce leaves the timeouts of its attempts to connect in the timer, and each would log an error. */
    @Test
    void shouldRunNoTimeoutAfterTheShutdown() throws Exception {
        List<String> run = new CopyOnWriteArrayList<>();
        Timer timer = this.loops.resources().timer();
        after(1, timer, () -> run.add("before")).await();
        CountDownLatch late = after(200, timer, () -> run.add("late"));

        this.loops.shutdown();
        after(1, this.loops.resources().timer(), () -> run.add("restarted")).await();
        after(400, this.application.timer(), () -> run.add("application")).await();

        assertThat(run).containsExactly("before", "restarted", "application");
        assertThat(late.getCount()).isEqualTo(1);
    }

    private static CountDownLatch after(long millis, Timer timer, Runnable action) {
        CountDownLatch done = new CountDownLatch(1);
        timer.newTimeout(
                timeout -> {
                    action.run();
                    done.countDown();
                },
                millis,
                TimeUnit.MILLISECONDS);
        return done;
    }
}
