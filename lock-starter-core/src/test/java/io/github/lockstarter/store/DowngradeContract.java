package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a writer becomes a reader, whatever the store. */
abstract class DowngradeContract extends TwoInstances {

    private static final String READER = GrantKind.readerOf("w");

    private static final String A = GrantKind.READER.idOf("a");

    private static final String B = GrantKind.READER.idOf("b");

    private static final long LEASE = StoreInstance.LEASE;

    private StoreInstance one;

    private StoreInstance two;

    private long token;

    @BeforeEach
    void acquire() {
        this.one = instance("one");
        this.two = instance("two");
        this.token = this.one.granted(NAME, "w");
    }

    private ReleaseReply downgrade() {
        return this.one.store().downgrade(NAME, "w", this.token, LEASE);
    }

    @Test
    void shouldBecomeAReaderWithTheSameToken() {
        assertThat(downgrade()).isEqualTo(ReleaseReply.grantedToSuccessor(this.token));

        assertThat(this.one.owners(NAME)).containsExactly(READER);
        assertThat(this.two.granted(NAME, A)).isGreaterThan(this.token);
        assertThat(this.one.refused(NAME, "w2")).isPositive();
        assertThat(this.one.renews(NAME, "w", LEASE)).isEqualTo("DELETED");
        assertThat(this.one.renews(NAME, READER, LEASE)).isEqualTo("renewed");
        assertThat(this.one.releases(NAME, "w")).isEqualTo(ReleaseReply.TAKEN);
        assertThat(this.one.releases(NAME, READER)).isEqualTo(ReleaseReply.RELEASED);
        assertThat(this.one.owners(NAME)).containsExactly(A);
    }

    @Test
    void shouldWakeTheReadersAtTheHead() {
        this.two.joins(NAME, A);
        this.two.joins(NAME, B);

        downgrade();

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(READER, A, B);
        soon().until(() -> this.two.heard().handedOver().contains(NAME));
        assertThat(this.two.granted(NAME, A)).isGreaterThan(this.token);
    }

    @Test
    void shouldNotLetInAWriterThatWaitedBefore() {
        this.two.joins(NAME, A);
        this.two.joins(NAME, "w2");
        this.two.joins(NAME, B);

        downgrade();

        assertThat(this.one.owners(NAME)).containsExactlyInAnyOrder(READER, A);
        assertThat(this.two.polls(NAME, "w2")).isFalse();
        assertThat(this.two.polls(NAME, B)).as("behind the writer").isFalse();
        this.one.releases(NAME, READER, this.token, null);
        assertThat(this.one.owners(NAME)).containsExactly(A);
        this.two.releases(NAME, A);
        assertThat(this.two.granted(NAME, "w2")).isGreaterThan(this.token);
    }

    @Test
    void shouldTakeTheLastTokenAlong() {
        long last = this.token + 64;

        ReleaseReply reply = this.one.store().downgrade(NAME, "w", last, LEASE);

        assertThat(reply).isEqualTo(ReleaseReply.grantedToSuccessor(last));
        assertThat(this.two.granted(NAME, A)).isGreaterThan(last);
    }

    @Test
    void shouldSetTheFullLeaseAgainIfItIsRepeated() {
        this.two.joins(NAME, "w2");
        this.one.store().downgrade(NAME, "w", this.token, 5_000);
        this.two.joins(NAME, A);

        assertThat(downgrade()).isEqualTo(ReleaseReply.grantedToSuccessor(this.token));

        assertThat(this.one.owners(NAME)).containsExactly(READER);
        assertThat(this.one.holder(NAME, READER).remainingMillis()).isGreaterThan(LEASE / 2);
    }

    @Test
    void shouldNotShortenTheLease() {
        this.one.store().downgrade(NAME, "w", this.token, 50);

        assertThat(this.one.holder(NAME, READER).remainingMillis()).isGreaterThan(LEASE / 2);
        assertThat(this.one.store().find(NAME).remainingMillis()).isGreaterThan(LEASE / 2);
    }

    @Test
    void shouldNotPutALateAcquireIntoTheLine() {
        downgrade();

        assertThat(this.one.polls(NAME, "w")).isFalse();
        assertThat(this.one.store().find(NAME).waiting()).isZero();
        this.one.store().keep(NAME, READER, 5_000);
        assertThat(this.one.polls(NAME, "w")).isFalse();

        assertThat(this.one.store().find(NAME).waiting()).isZero();
    }

    @Test
    void shouldBeRefusedToAllButTheOwner() {
        this.one.releases(NAME, "w");
        assertThat(downgrade()).isEqualTo(ReleaseReply.GONE);

        this.two.granted(NAME, "w2");
        assertThat(downgrade()).isEqualTo(ReleaseReply.TAKEN);
        this.two.releases(NAME, "w2");
        this.two.granted(NAME, A);
        assertThat(downgrade()).isEqualTo(ReleaseReply.TAKEN);

        assertThat(this.one.owners(NAME)).containsExactly(A);
    }
}
