package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A forced release by another instance, and the message about it to the owner. */
@Timeout(120)
class RevocationTest extends FaultFixture {

    private static final String NAME = "report:7";

    private static final String KEY = "lock:{report:7}";

    private String owner() {
        return ownerOf(KEY);
    }

    @ParameterizedTest
    @EnumSource(value = MessageMode.class, mode = EnumSource.Mode.EXCLUDE, names = "POLLING")
    void shouldNotifyTheOwnerOfAFixedLease(MessageMode mode) throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance forcing =
                this.instances.at(this.server, setup -> messagesOnly(setup).messages(mode));
        Lease lease = holding.registry().acquire(LockRequest.of("report", "7").withLease(LONG));
        awaitListening(owner());

        assertThat(forcing.lock(NAME).forceUnlock()).isTrue();

        assertThat(lossOf(lease)).isEqualTo(LossReason.REVOKED);
        soon().untilAsserted(() -> assertThat(holding.events().all(LockLostEvent.class))
                .singleElement()
                .extracting(LockLostEvent::reason)
                .isEqualTo(LossReason.REVOKED));
    }

    /** The server loses what scripts publish, so that the client does. */
    @Test
    void shouldNotifyTheOwnerAtAServerThatLosesMessagesOfScripts() throws Exception {
        try (FaultProxy service = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.huawei())) {
            Instance holding = this.instances.at(service, FaultFixture::messagesOnly);
            Instance forcing = this.instances.at(service, FaultFixture::messagesOnly);
            Lease lease = holding.acquire(NAME);
            Lease other = forcing.acquire("other");
            soon().untilAsserted(() -> assertThat(List.of(holding, forcing))
                    .allSatisfy(each ->
                            assertThat(each.registry().health().messages()).startsWith("client (")));

            assertThat(forcing.lock(NAME).forceUnlock()).isTrue();

            assertThat(lossOf(lease)).isEqualTo(LossReason.REVOKED);
            assertThat(other.release()).isTrue();
        }
    }

    /** Readers of one instance share a grant. */
    @Test
    void shouldNotifyAllReadersOrOneHolder() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Instance forcing = this.instances.at(this.server, FaultFixture::messagesOnly);
        LockRequest permit = LockRequest.of(NAME).withPermits(1, 3);
        Lease one = holding.registry().acquire(permit);
        Lease two = holding.registry().acquire(permit);
        Lease reader = holding.registry().acquire(LockRequest.of("prices").withMode(LockMode.READ));
        var holders = holding.registry().stored(NAME).orElseThrow().holders();
        awaitListening(holders.get(0).id());

        assertThat(forcing.lock(NAME).forceUnlock(holders.get(0).id())).isTrue();

        assertThat(lossOf(one)).isEqualTo(LossReason.REVOKED);
        assertThat(forcing.lock(NAME).forceUnlock(holders.get(0).id()))
                .as("release of a holder that is gone")
                .isFalse();
        assertThat(two.isHeld()).as("the other permit").isTrue();
        assertThat(forcing.registry().getReadWriteLock("prices").readLock().forceUnlock())
                .isTrue();
        assertThat(lossOf(reader)).isEqualTo(LossReason.REVOKED);
        assertThat(two.release()).isTrue();
    }

    @Test
    void shouldBeNoticedAtTheNextRenewalIfTheMessageIsLost() throws Exception {
        Instance holding = this.instances.at(
                this.proxy, setup -> setup.lease(Duration.ofSeconds(12)).commandTimeout(Duration.ofSeconds(2)));
        Instance forcing = this.instances.at(this.server, FaultFixture::messagesOnly);
        Lease lease = holding.acquire(NAME);
        awaitListening(owner());
        this.proxy.swallowMessages();
        long forcedAt = System.nanoTime();

        assertThat(forcing.lock(NAME).forceUnlock()).isTrue();

        assertThat(lossOf(lease)).isEqualTo(LossReason.DELETED);
        assertThat(since(forcedAt))
                .as("time of one renewal, and far from the lease")
                .isLessThan(Duration.ofSeconds(9));
    }

    /** By configuration there are no messages. */
    @Test
    void shouldSendNothingInModePolling() throws Exception {
        Instance holding = this.instances.at(this.server, setup -> setup.lease(Duration.ofSeconds(3)));
        Instance forcing =
                this.instances.at(this.proxy, setup -> messagesOnly(setup).messages(MessageMode.POLLING));
        Lease lease = holding.acquire(NAME);

        assertThat(forcing.lock(NAME).forceUnlock()).isTrue();

        assertThat(lossOf(lease)).isEqualTo(LossReason.DELETED);
        assertThat(this.proxy.commandsSeen(Commands.named("publish"))).isZero();
    }

    @Test
    void shouldNotEndTheGrantOfALaterOwnerByALateMessage() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Lease first = holding.acquire(NAME);
        String id = owner();
        awaitListening(id);
        assertThat(holding.lock(NAME).forceUnlock()).isTrue();
        assertThat(lossOf(first)).isEqualTo(LossReason.REVOKED);
        Lease second = holding.acquire(NAME);

        publish(id, "revoked");
        publish(owner(), "revoked");

        soon().untilAsserted(() -> assertThat(
                        holding.registry().held(NAME).orElseThrow().renewals())
                .as("renewals after a message about the present grant, which nobody has released")
                .isEqualTo(1));
        assertThat(second.release()).isTrue();
    }

    /** A later version may send messages of other kinds. */
    @Test
    void shouldIgnoreAnUnknownKindOfMessage() throws Exception {
        Instance holding = this.instances.at(this.server, FaultFixture::messagesOnly);
        Lease lease = holding.acquire(NAME);
        awaitListening(owner());

        publish(owner(), "whatever");
        publish(owner(), "revoked");

        await().atMost(LONG)
                .until(() -> holding.registry().held(NAME).orElseThrow().renewals() == 1);
        assertThat(holding.registry().rejectedMessages()).isZero();
        assertThat(lease.release()).isTrue();
    }

    private static LossReason lossOf(Lease lease) throws Exception {
        return get(lease.lost());
    }

    private void publish(String id, String kind) {
        String channel = Channel.of(id);
        assertThat(this.redis.command("PUBLISH", channel, KEY + kind + ':' + id))
                .isEqualTo(1L);
    }
}
