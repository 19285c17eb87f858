package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The subscription of an instance: when it comes, what it changes in the waiting line, when it goes. */
@RedisTest
class RedisInboxTest {

    private static final String NAME = "a";

    private final RedisCli redis;

    private final RedisStores stores;

    RedisInboxTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        this.stores = new RedisStores(server.port(), redis);
    }

    @AfterEach
    void close() {
        this.stores.close();
    }

    @Test
    void shouldSubscribeWhenSomebodyWaitsForTheFirstTimeAndOnlyOnce() {
        try (StoreInstance one = new StoreInstance("one", this.stores.newStore())) {
            one.granted(NAME, "me");
            one.joins(NAME, "you");
            assertThat(this.stores.readers("one")).isZero();
            assertThat(this.redis.infoCommandStats()).doesNotContainKey("subscribe");

            this.stores.awaitReachable(one);
            for (int times = 0; times < 10; times++) {
                one.store().prepareWaiting();
            }
            // whoever asked for another subscription would have it before this
            hearOf(one, "other");

            assertThat(this.stores.readers("one")).isOne();
            assertThat(this.redis.infoCommandStats()).containsEntry("subscribe", 1L);
        }
    }

    private static void hearOf(StoreInstance instance, String lockName) {
        instance.granted(lockName, "a");
        instance.joins(lockName, "b");
        instance.releases(lockName, "a");
        soon().until(() -> instance.heard().handedOver().contains(lockName));
    }

    @Test
    void shouldJoinOnlyWhenItsMessageWouldBeHeard() {
        try (StoreInstance one = new StoreInstance("one", this.stores.newStore())) {
            one.granted(NAME, "me");

            one.joins(NAME, "you");
            assertThat(this.stores.line(NAME)).as("nobody reads the inbox").isEmpty();

            this.stores.awaitReachable(one);
            one.joins(NAME, "you");
            assertThat(this.stores.line(NAME)).isEqualTo(";you:one:10000");
        }
    }

    @Test
    void shouldTellThatSomeMayHaveBeenMissedWhenItIsReachable() {
        try (StoreInstance one = new StoreInstance("one", this.stores.newStore())) {
            int missed = one.heard().missed();

            one.store().prepareWaiting();

            soon().until(() -> one.heard().missed() > missed);
            assertThat(this.stores.readers("one"))
                    .as("not before the acknowledgement")
                    .isOne();
        }
    }

    @Test
    void shouldGiveAGrantTwiceThePollIntervalForItsClaim() {
        try (StoreInstance one = new StoreInstance("one", this.stores.newStore())) {
            this.stores.awaitReachable(one);
            one.granted(NAME, "me");
            one.joins(NAME, "you");

            one.releases(NAME, "me");

            long claim = 2 * RedisStores.POLL_INTERVAL.toMillis();
            assertThat(this.redis.pttl("lock:{a}")).isBetween(claim / 2, claim);
            one.releases(NAME, "you", 0, "next");
            one.joins(NAME, "last");
            assertThat(one.releases(NAME, "next", 0, "next but one"))
                    .extracting(ReleaseReply::outcome)
                    .isEqualTo(ReleaseReply.Outcome.QUEUED);
            assertThat(this.stores.line(NAME)).isEqualTo(";next but one:one:" + claim);
        }
    }

    @Test
    void shouldPassOverAnInstanceThatIsGone() {
        try (StoreInstance one = new StoreInstance("one", this.stores.newStore());
                StoreInstance three = new StoreInstance("three", this.stores.newStore())) {
            StoreInstance two = new StoreInstance("two", this.stores.newStore());
            List.of(two, three).forEach(this.stores::awaitReachable);
            one.granted(NAME, "a");
            two.joins(NAME, "b");
            three.joins(NAME, "c");
            two.close();
            soon().until(() -> this.stores.readers("two") == 0);

            one.releases(NAME, "a");

            assertThat(three.granted(NAME, "c")).isPositive();
        }
    }

    @Test
    void shouldPollIfItMayNotSubscribe() {
        this.redis.command("ACL", "SETUSER", "quiet", "reset", "on", ">any", "~*", "resetchannels", "+@all");
        try (StoreInstance quiet = new StoreInstance("quiet", this.stores.newStore("quiet", "any"))) {
            quiet.granted(NAME, "me");
            quiet.store().prepareWaiting();

            soon().until(() -> {
                quiet.joins(NAME, "you");
                return this.stores.line(NAME).equals(";you::10000");
            });
            assertThat(quiet.releases(NAME, "me")).isEqualTo(ReleaseReply.RELEASED);
            assertThat(quiet.granted(NAME, "you")).isPositive();
            assertThat(this.stores.readers("quiet")).isZero();
        } finally {
            this.redis.command("ACL", "DELUSER", "quiet");
        }
    }

    @Test
    void shouldEndItsSubscriptionWhenItStops() {
        StoreInstance one = new StoreInstance("one", this.stores.newStore());
        this.stores.awaitReachable(one);
        assertThat(this.stores.readers("one")).isOne();

        one.close();

        soon().until(() -> this.stores.readers("one") == 0);
        assertThat((List<?>) this.redis.command("PUBSUB", "CHANNELS", "*")).isEmpty();
    }

    /** Over connections that go on after it. */
    @Test
    void shouldEndItsSubscriptionOverTheConnectionsOfTheApplicationToo() {
        StoreInstance one = new StoreInstance("one", this.stores.newSharingStore());
        this.stores.awaitReachable(one);
        assertThat(this.stores.readers("one")).isOne();

        one.close();

        soon().until(() -> this.stores.readers("one") == 0);
    }

    @Test
    void shouldEndASubscriptionThatIsJustBeingMade() {
        for (int i = 0; i < 20; i++) {
            StoreInstance one = new StoreInstance("one" + i, this.stores.newStore());
            one.store().prepareWaiting();
            one.close();
        }

        soon().until(() -> ((List<?>) this.redis.command("PUBSUB", "CHANNELS", "*")).isEmpty());
    }

    @Test
    void shouldSayAgainHowItCanBeReachedAfterItsSubscriptionBroke() {
        try (StoreInstance one = new StoreInstance("one", this.stores.newStore())) {
            this.stores.awaitReachable(one);
            one.granted(NAME, "me");
            one.joins(NAME, "you");
            int missed = one.heard().missed();

            this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");

            // notified once of the break and once of the new subscription, which Redis knows earlier than this instance
            soon().until(() -> one.heard().missed() > missed + 1);
            assertThat(this.stores.readers("one")).isOne();
            one.joins(NAME, "you");
            one.joins(NAME, "another");
            assertThat(this.stores.line(NAME)).isEqualTo(";you:one:10000;another:one:10000");
            one.releases(NAME, "me");
            soon().until(() -> one.heard().handedOver().contains(NAME));
        }
    }
}
