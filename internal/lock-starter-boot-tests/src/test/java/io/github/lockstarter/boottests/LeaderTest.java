package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.leader.LeaderElection;
import io.github.lockstarter.leader.LeaderOnly;
import io.github.lockstarter.test.UseInMemoryLocks;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Leader roles in an application of this line, with their endpoint and the detail of the health. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.data.redis.port=1",
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always"
        })
@UseInMemoryLocks
@Import(LeaderTest.Feed.class)
@Timeout(90)
class LeaderTest {

    @Test
    void shouldLead(@Autowired LeaderElection election, @Autowired Feed feed, @Autowired Environment environment) {
        Actuator actuator = new Actuator(environment);
        await().atMost(Duration.ofSeconds(30)).until(() -> election.isLeader("feed") && feed.isRunning());
        assertThat(election.leader("feed")).isPresent();
        assertThat(actuator.get("leaders").body()).contains("\"role\":\"feed\"", "\"leads\":true", "\"epoch\":");
        assertThat(actuator.get("health").body()).contains("\"leader\":{\"feed\":\"leader\"}");
        assertThat(actuator.get("info").body()).contains("\"leader\":{\"feed\":\"leader\"}");
        assertThat(actuator.get("metrics/distributed.lock.leader?tag=role:feed").body())
                .contains("\"value\":1.0");

        election.cede("feed", Duration.ofMinutes(5));

        await().atMost(Duration.ofSeconds(30)).until(() -> !feed.isRunning());
    }

    @LeaderOnly("feed")
    static class Feed implements SmartLifecycle {

        private volatile boolean running;

        @Override
        public void start() {
            this.running = true;
        }

        @Override
        public void stop() {
            this.running = false;
        }

        @Override
        public boolean isRunning() {
            return this.running;
        }
    }
}
