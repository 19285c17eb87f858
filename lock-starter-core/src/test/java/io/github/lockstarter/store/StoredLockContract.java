package io.github.lockstarter.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a store describes of a lock, and what a refusal says about it. */
abstract class StoredLockContract extends TwoInstances {

    private StoreInstance one;

    private StoreInstance two;

    @Test
    void shouldFindNothingIfTheLockIsFree() {
        start();

        assertThat(this.one.store().find(NAME)).isNull();
    }

    @Test
    void shouldFindOwnerTokenAndLine() {
        start();
        long token = this.one.granted(NAME, "a");
        this.two.joins(NAME, "b");
        this.one.joins(NAME, "c");

        StoredLock found = this.one.store().find(NAME);

        assertThat(found.owner()).isEqualTo("a");
        assertThat(found.fencingToken()).isEqualTo(token);
        assertThat(found.remainingMillis()).isBetween(1L, StoreInstance.LEASE);
        assertThat(found.waiting()).isEqualTo(2);
        assertThat(found.line()).containsExactly("b", "c");
    }

    @Test
    void shouldFindTheFirstOfALongLine() {
        start();
        this.one.granted(NAME, "a.r");
        for (int i = 1; i <= 105; i++) {
            this.two.joins(NAME, "w" + i);
        }

        StoredLock found = this.one.store().find(NAME);

        assertThat(found.waiting()).isEqualTo(105);
        assertThat(found.line()).hasSize(100).startsWith("w1", "w2").endsWith("w100");
    }

    @Test
    void shouldFindTheNewOwnerAfterAHandOver() {
        start();
        long token = this.one.granted(NAME, "a");
        this.two.joins(NAME, "b");
        this.one.releases(NAME, "a");

        StoredLock found = this.one.store().find(NAME);

        assertThat(found.owner()).isEqualTo("b");
        assertThat(found.fencingToken()).isGreaterThan(token);
        assertThat(found.waiting()).isZero();
    }

    @Test
    void shouldNameTheOwnerInARefusal() {
        start();
        long token = this.one.granted(NAME, "a");

        AcquireReply.Taken single = (AcquireReply.Taken) this.two.ask(NAME, "b");
        AcquireReply.Taken joined = (AcquireReply.Taken) this.two.store().acquire(NAME, "b", StoreInstance.LEASE, true);

        assertThat(single.owner()).isEqualTo("a");
        assertThat(single.fencingToken()).isEqualTo(token);
        assertThat(single.used()).isZero();
        assertThat(single.pollMillis()).as("not in the line").isZero();
        assertThat(joined.owner()).isEqualTo("a");
        assertThat(joined.pollMillis()).as("in the line").isPositive();
    }

    @Test
    void shouldNameOneOfTheHoldersInARefusal() {
        start();
        this.one.granted(NAME, "a.s2.4");
        this.one.granted(NAME, "b.s2.4");

        AcquireReply.Taken refusal = (AcquireReply.Taken) this.two.ask(NAME, "c.s1.4");
        this.one.releases(NAME, refusal.owner());
        AcquireReply.Taken next = (AcquireReply.Taken) this.two.ask(NAME, "c.s3.4");

        assertThat(refusal.used()).isEqualTo(4);
        assertThat(refusal.owner()).isIn("a.s2.4", "b.s2.4");
        assertThat(next.used()).isEqualTo(2);
        assertThat(next.owner()).isIn("a.s2.4", "b.s2.4").isNotEqualTo(refusal.owner());
    }

    @Test
    void shouldNameTheOwnerThatKeepsTheLock() {
        start();
        this.one.granted(NAME, "a");
        this.one.store().keep(NAME, "a", 5_000);

        assertThat(this.one.store().find(NAME).owner()).isEqualTo("a");
        assertThat(((AcquireReply.Taken) this.two.ask(NAME, "b")).owner()).isEqualTo("a");
    }

    private void start() {
        this.one = instance("one");
        this.two = instance("two");
    }
}
