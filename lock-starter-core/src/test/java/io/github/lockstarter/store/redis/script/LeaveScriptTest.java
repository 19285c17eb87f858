package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Giving up in the waiting line, which is the release of a lock that one does not own. */
@RedisTest
class LeaveScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    private long token;

    LeaveScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "one", "two");
    }

    @BeforeEach
    void someStandInLine() {
        this.token = this.scripts.acquire("me");
        this.scripts.join("head", "one");
        this.scripts.join("middle", "two");
        this.scripts.join("tail", "");
    }

    private void assertThatTheOwnerNoticedNothing() {
        assertThat(this.scripts.owner()).isEqualTo("me");
        assertThat(this.scripts.token()).isEqualTo(this.token);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"head", "middle", "tail"})
    void shouldStepOutOfTheLine(String id) {
        List<String> others = new ArrayList<>(List.of("head", "middle", "tail"));
        others.remove(id);

        assertThat(this.scripts.release(id)).isEqualTo(3);

        assertThat(this.scripts.waiting()).isEqualTo(others);
        assertThatTheOwnerNoticedNothing();
    }

    @Test
    void shouldKeepWhatStandsThereAboutTheOthers() {
        this.scripts.release("middle");

        assertThat(this.scripts.line()).isEqualTo(";head:one:20000;tail::20000");
    }

    @Test
    void shouldLeaveNoEmptyLine() {
        this.scripts.release("middle");
        this.scripts.release("head");

        assertThat(this.scripts.release("tail")).isEqualTo(3);

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f");
        assertThatTheOwnerNoticedNothing();
    }

    @Test
    void shouldChangeNothingIfItIsRepeated() {
        assertThat(this.scripts.release("middle")).isEqualTo(3);

        assertThat(this.scripts.release("middle")).isEqualTo(-1);

        assertThat(this.scripts.waiting()).containsExactly("head", "tail");
        assertThatTheOwnerNoticedNothing();
    }

    @Test
    void shouldChangeNothingIfItNeverStoodThere() {
        assertThat(this.scripts.release("stranger")).isEqualTo(-1);

        assertThat(this.scripts.waiting()).containsExactly("head", "middle", "tail");
        assertThatTheOwnerNoticedNothing();
    }

    @Test
    void shouldNotBeGrantedTheLockAfterwards() {
        this.scripts.release("head");

        this.scripts.release("me");

        assertThat(this.scripts.owner()).isEqualTo("middle");
        assertThat(this.inboxes.notified()).containsExactly("two");
    }

    /** It gives up in the moment in which it is granted the lock. */
    @Test
    void shouldPassTheLockOnIfItWasGrantedMeanwhile() {
        this.scripts.release("me");
        long granted = this.scripts.token();
        assertThat(this.inboxes.notified()).containsExactly("one");

        assertThat(this.scripts.release("head")).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("middle");
        assertThat(this.scripts.token()).isGreaterThan(granted);
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.inboxes.notified()).containsExactly("two");
    }

    @Test
    void shouldFreeTheLockIfItWasGrantedMeanwhileAndNobodyElseWaits() {
        this.scripts.release("middle");
        this.scripts.release("tail");
        this.scripts.release("me");

        assertThat(this.scripts.release("head")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldNotTakeTheLockFromTheNextIfItIsRepeatedAfterPassingItOn() {
        this.scripts.release("me");
        this.scripts.release("head");
        long granted = this.scripts.token();

        assertThat(this.scripts.release("head")).isEqualTo(-1);

        assertThat(this.scripts.owner()).isEqualTo("middle");
        assertThat(this.scripts.token()).isEqualTo(granted);
        assertThat(this.scripts.waiting()).containsExactly("tail");
    }
}
