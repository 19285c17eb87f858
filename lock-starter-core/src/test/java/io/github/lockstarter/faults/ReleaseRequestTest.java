package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.Commands;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request to release a lock, and the message about it to the owners in other instances. */
@Timeout(120)
class ReleaseRequestTest extends FaultFixture {

    private static final String NAME = "report:7";

    private static final String KEY = "lock:{report:7}";

    @ParameterizedTest
    @EnumSource(value = MessageMode.class, mode = EnumSource.Mode.EXCLUDE, names = "POLLING")
    void shouldTellTheOwnerAndChangeNothing(MessageMode mode) throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance asking =
                this.instances.at(this.server, setup -> messagesOnly(setup).messages(mode));
        Lease lease = holding.registry().acquire(LockRequest.of("report", "7").withLease(LONG));
        awaitListening(ownerOf(KEY));
        Map<String, String> stored = this.redis.hgetall(KEY);

        assertThat(asking.registry().requestRelease(NAME)).isTrue();

        assertThat(get(lease.releaseRequested())).isNull();
        assertThat(lease.isReleaseRequested()).isTrue();
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(this.redis.hgetall(KEY)).isEqualTo(stored);
        soon().untilAsserted(() -> assertThat(holding.events().all(LockReleaseRequestedEvent.class))
                .singleElement()
                .extracting(LockReleaseRequestedEvent::fencingToken)
                .isEqualTo(lease.fencingToken()));
        assertThat(holding.registry().held(NAME).orElseThrow().releaseRequested())
                .isTrue();
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNotAskTheNextOwnerOfTheSameInstance() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance asking = this.instances.at(this.server, FaultFixture::messagesOnly);
        Lease first = holding.acquire(NAME);
        var waiting = holding.waitFor(NAME);
        awaitListening(ownerOf(KEY));

        assertThat(asking.registry().requestRelease(NAME)).isTrue();
        assertThat(get(first.releaseRequested())).isNull();
        assertThat(first.release()).isTrue();

        Lease second = get(waiting);
        assertThat(second.isReleaseRequested()).as("asked for the grant before").isFalse();
        assertThat(asking.registry().requestRelease(NAME)).isTrue();
        assertThat(get(second.releaseRequested())).isNull();
        assertThat(second.release()).isTrue();
    }

    @Test
    void shouldAskAllHoldersOrOne() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance other = this.instances.at(this.server, FaultFixture::messagesOnly);
        LockRequest permit = LockRequest.of(NAME).withPermits(1, 3);
        Lease one = holding.registry().acquire(permit);
        Lease two = holding.registry().acquire(permit);
        Lease own = other.registry().acquire(permit);
        Lease reader = holding.registry().acquire(LockRequest.of("prices").withMode(LockMode.READ));
        String id =
                holding.registry().stored(NAME).orElseThrow().holders().get(0).id();
        awaitListening(id);

        assertThat(other.lock(NAME).requestRelease(id)).isTrue();
        assertThat(get(one.releaseRequested())).isNull();
        assertThat(List.of(two, own)).as("others").noneMatch(Lease::isReleaseRequested);
        assertThat(other.registry().requestRelease(NAME)).isTrue();
        assertThat(get(two.releaseRequested())).isNull();
        assertThat(own.isReleaseRequested()).as("asked by its own instance").isTrue();
        assertThat(other.registry().getReadWriteLock("prices").readLock().requestRelease())
                .isTrue();
        assertThat(get(reader.releaseRequested())).isNull();

        assertThat(List.of(one, two, own, reader)).allMatch(Lease::release);
    }

    @Test
    void shouldFindNobodyToAsk() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance asking = this.instances.at(this.server, FaultFixture::messagesOnly);

        assertThat(asking.registry().requestRelease(NAME)).as("a free lock").isFalse();
        for (LockRequest request :
                List.of(LockRequest.of(NAME), LockRequest.of(NAME).withMode(LockMode.READ))) {
            assertThat(holding.registry().acquire(request).releaseAfter(LONG)).isTrue();
            assertThat(asking.registry().requestRelease(NAME))
                    .as("a lock that its minimum hold keeps")
                    .isFalse();
            assertThat(asking.lock(NAME).isLocked()).isTrue();
            assertThat(asking.lock(NAME).forceUnlock()).isTrue();
        }
        this.redis.command("HSET", KEY, "o", "by hand");
        assertThat(asking.registry().requestRelease(NAME)).as("another program").isFalse();
    }

    @Test
    void shouldSayThatNoMessageCanBeSent() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance asking =
                this.instances.at(this.proxy, setup -> messagesOnly(setup).messages(MessageMode.POLLING));
        Lease lease = holding.acquire(NAME);

        assertThatThrownBy(() -> asking.registry().requestRelease(NAME))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("No message was sent")
                .hasMessageContaining("distributed-lock.redis.messages");

        assertThat(this.proxy.commandsSeen(Commands.named("publish"))).isZero();
        assertThat(lease.release()).isTrue();
    }
}
