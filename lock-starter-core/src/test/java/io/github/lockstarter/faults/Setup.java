package io.github.lockstarter.faults;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.HandOff;
import io.github.lockstarter.lease.LockSettings;
import io.github.lockstarter.lease.ReleaseMode;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** How an instance is set up. What a test does not say is quick: leases end soon, and so do commands. */
final class Setup {

    private Duration lease = Duration.ofMillis(1500);

    private Duration renewInterval;

    private Duration commandTimeout = Duration.ofMillis(400);

    private Duration pollInterval = Duration.ofMillis(150);

    private boolean privateConnection = true;

    private boolean reachable = true;

    private HandOff handOff = HandOff.DEFAULT;

    private ReleaseMode releaseMode = ReleaseMode.AWAIT;

    private LockListener meters;

    private String user;

    private String password = "any";

    private String keyPrefix = "lock";

    private int database;

    private ClientResources clientResources;

    /** Lease of renewed locks. */
    Setup lease(Duration lease) {
        this.lease = lease;
        return this;
    }

    /** In a test nothing runs out, and nothing is late on a machine that is busy; yet renewals come soon. */
    Setup calm() {
        this.lease = Duration.ofSeconds(12);
        this.renewInterval = Duration.ofMillis(400);
        this.commandTimeout = Duration.ofSeconds(4);
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

    Setup handOff(HandOff handOff) {
        this.handOff = handOff;
        return this;
    }

    /** Every grant comes from Redis. */
    Setup withoutHandOff() {
        return handOff(new HandOff(Duration.ZERO, 0));
    }

    /** A lock goes from thread to thread that often, however long it takes. */
    Setup handOffs(int maxCount) {
        return handOff(new HandOff(Duration.ofSeconds(10), maxCount));
    }

    Setup releaseMode(ReleaseMode releaseMode) {
        this.releaseMode = releaseMode;
        return this;
    }

    Setup meters(LockListener meters) {
        this.meters = meters;
        return this;
    }

    LockListener meters() {
        return this.meters;
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

    Setup user(String user, String password) {
        this.user = user;
        this.password = password;
        return this;
    }

    Setup keyPrefix(String keyPrefix) {
        this.keyPrefix = keyPrefix;
        return this;
    }

    Setup database(int database) {
        this.database = database;
        return this;
    }

    /** As Spring Boot does it: one for all clients of the application, which owns it. */
    Setup clientResources(ClientResources clientResources) {
        this.clientResources = clientResources;
        return this;
    }

    boolean isReachable() {
        return this.reachable;
    }

    LettuceConnectionFactory connectionFactory(int port) {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
        if (this.user != null) {
            server.setUsername(this.user);
            server.setPassword(this.password);
        }
        server.setDatabase(this.database);
        // Lettuce's own defaults, but it need not take its time when it is closed
        LettuceClientConfigurationBuilder client =
                LettuceClientConfiguration.builder().shutdownTimeout(Duration.ZERO);
        if (this.clientResources != null) {
            client.clientResources(this.clientResources);
        }
        return new LettuceConnectionFactory(server, client.build());
    }

    RedisStoreSettings storeSettings() {
        return new RedisStoreSettings(this.keyPrefix, this.commandTimeout, this.privateConnection, this.pollInterval);
    }

    LockSettings lockSettings() {
        return LockSettings.of(
                        Duration.ofSeconds(10),
                        OnLost.THROW,
                        this.lease,
                        this.renewInterval,
                        null,
                        this.commandTimeout,
                        this.pollInterval,
                        Duration.ZERO)
                .withHandOff(this.handOff)
                .withReleaseMode(this.releaseMode);
    }
}
