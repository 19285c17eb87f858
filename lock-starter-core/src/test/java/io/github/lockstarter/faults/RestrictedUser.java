package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.stream.Stream;

/** A Redis user who may do this and that. */
final class RestrictedUser {

    /** The rule for a standalone Redis or Sentinel's master, with the default prefix; the README quotes it. */
    static final String RULE = "resetkeys resetchannels ~lock:* &lock:inbox:* -@all"
            + " +ping +eval +evalsha +hget +hmget +hgetall +hset +hdel +hexists +del +pexpire +pttl +time"
            + " +publish +subscribe +unsubscribe +info";

    static final String NAME = "least-privilege";

    private final RedisCli redis;

    private boolean mayAsk;

    RestrictedUser(RedisCli redis) {
        this.redis = redis;
    }

    /** The rule without one of its permissions. */
    static String without(String permission) {
        assertThat(RULE.split(" ")).contains(permission);
        return String.join(
                " ",
                Stream.of(RULE.split(" "))
                        .filter(each -> !each.equals(permission))
                        .toList());
    }

    /** May do what the rule allows, and nothing else. */
    RestrictedUser grant(String rule) {
        this.redis.command(
                Stream.concat(Stream.of("ACL", "SETUSER", NAME, "reset", "on", "nopass"), Stream.of(rule.split(" ")))
                        .toArray(String[]::new));
        this.mayAsk = rule.contains("+hexists") && rule.contains("+ping") && rule.contains("~");
        return this;
    }

    /** An instance that logs in as this user; what cannot ask whether a lock is taken is not waited for. */
    Instance start(Instances instances, FaultProxy proxy) {
        return instances.at(
                proxy,
                setup -> this.mayAsk
                        ? setup.calm().user(NAME)
                        : setup.calm().user(NAME).unreachable());
    }

    void delete() {
        this.redis.command("ACL", "DELUSER", NAME);
    }
}
