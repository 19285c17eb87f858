package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A Redis user who may do this and that. */
final class RestrictedUser {

    /**
     * The rule for a standalone Redis 7.0 or the master behind Sentinels, with the default prefix. It permits nothing
     * of what Lettuce sends on each new connection: this server does not know these commands, and refuses a rule that
     * has them.
     */
    private static final String RULE_7_0 = "resetkeys resetchannels ~lock:* &lock:inbox:* -@all"
            + " +ping +eval +evalsha +script|exists +script|load +hget +hmget +hgetall +hset +hdel +del +pexpire +pttl +time"
            + " +publish +pubsub|numsub +subscribe +unsubscribe +info";

    /** The rule for newer servers. */
    private static final String RULE = RULE_7_0 + " +client|setinfo";

    /** The rule for Redis 6.2, which checks permissions for subcommands that it does not know. */
    private static final String RULE_6_2 = RULE + " +client|maint_notifications";

    /** The rules in the order of the manual. */
    static final List<String> RULES = List.of(RULE, RULE_7_0, RULE_6_2);

    static final String NAME = "least-privilege";

    private final RedisCli redis;

    private final String rule;

    private boolean mayAsk;

    RestrictedUser(RedisCli redis) {
        this.redis = redis;
        String server = redis.info("server");
        this.rule = server.contains("redis_version:6.2.")
                ? RULE_6_2
                : server.contains("redis_version:7.0.") ? RULE_7_0 : RULE;
    }

    /** Everything that some server needs. */
    static List<String> permissions() {
        return List.of(RULE_6_2.split(" "));
    }

    /** The rule for the server that is tested. */
    String rule() {
        return this.rule;
    }

    /** The rule without some of its permissions. */
    String without(String... permissions) {
        List<String> left = new ArrayList<>(List.of(this.rule.split(" ")));
        assertThat(left).contains(permissions);
        left.removeAll(List.of(permissions));
        return String.join(" ", left);
    }

    /** May do what the rule allows, and nothing else. */
    RestrictedUser grant(String rule) {
        this.redis.command(
                Stream.concat(Stream.of("ACL", "SETUSER", NAME, "reset", "on", "nopass"), Stream.of(rule.split(" ")))
                        .toArray(String[]::new));
        this.mayAsk =
                rule.contains("+hmget") && rule.contains("+ping") && rule.contains("~") && !rule.contains("resetdbs");
        return this;
    }

    /** An instance that logs in as this user; what cannot ask whether a lock is taken is not waited for. */
    Instance start(Instances instances, FaultProxy proxy) {
        return instances.at(proxy, setup -> {
            Setup quick = setup.calm()
                    .commandTimeout(Duration.ofSeconds(1))
                    .withDescription()
                    .user(NAME);
            return this.mayAsk ? quick : quick.unreachable();
        });
    }

    void delete() {
        this.redis.command("ACL", "DELUSER", NAME);
    }
}
