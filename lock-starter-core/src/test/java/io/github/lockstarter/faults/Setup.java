package io.github.lockstarter.faults;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.LockSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** How an instance is set up. What a test does not say is quick, but leaves room for a machine that is busy. */
final class Setup {

    private Duration lease = Duration.ofMillis(1500);

    private Duration commandTimeout = Duration.ofMillis(400);

    private Duration pollInterval = Duration.ofMillis(150);

    private boolean privateConnection = true;

    private boolean reachable = true;

    private String user;

    /** Lease of renewed locks. */
    Setup lease(Duration lease) {
        this.lease = lease;
        return this;
    }

    Setup commandTimeout(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
        return this;
    }

    Setup pollInterval(Duration pollInterval) {
        this.pollInterval = pollInterval;
        return this;
    }

    /** Over the application's connection factory, which has Lettuce's own defaults: it repeats commands. */
    Setup sharedConnection() {
        this.privateConnection = false;
        return this;
    }

    /** Redis cannot be reached when it starts: it is not waited for. */
    Setup unreachable() {
        this.reachable = false;
        return this;
    }

    /** A user without a password. */
    Setup user(String user) {
        this.user = user;
        return this;
    }

    boolean isReachable() {
        return this.reachable;
    }

    LettuceConnectionFactory connectionFactory(int port) {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
        if (this.user != null) {
            server.setUsername(this.user);
            server.setPassword("any");
        }
        // Lettuce's own defaults, but it need not take its time when it is closed
        return new LettuceConnectionFactory(
                server,
                LettuceClientConfiguration.builder()
                        .shutdownTimeout(Duration.ZERO)
                        .build());
    }

    RedisStoreSettings storeSettings() {
        return new RedisStoreSettings("lock", this.commandTimeout, this.privateConnection);
    }

    LockSettings lockSettings() {
        return LockSettings.of(
                Duration.ofSeconds(10),
                OnLost.THROW,
                this.lease,
                null,
                null,
                this.commandTimeout,
                this.pollInterval,
                Duration.ZERO);
    }
}
