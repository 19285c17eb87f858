package io.github.lockstarter.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a waiter finds out about a lock, whatever the store. */
abstract class LineStatusContract extends TwoInstances {

    private StoreInstance one;

    private StoreInstance two;

    @Test
    void shouldFindNothingIfTheLockIsFree() {
        this.one = instance("one");

        assertThat(this.one.store().find(NAME)).isNull();
        assertThat(status("a")).isEqualTo(new LineStatus(null, false));
    }

    @Test
    void shouldFindOwnerTokenAndLine() {
        start();
        long token = this.one.granted(NAME, "a");
        this.two.joins(NAME, "b");
        this.one.joins(NAME, "c");

        LineStatus found = status("b");

        assertThat(found.inLine()).isTrue();
        assertThat(found.lock().owner()).isEqualTo("a");
        assertThat(found.lock().fencingToken()).isEqualTo(token);
        assertThat(found.lock().remainingMillis()).isBetween(1L, StoreInstance.LEASE);
        assertThat(found.lock().waiting()).isEqualTo(2);
        assertThat(status("d").inLine()).as("never joined").isFalse();
        assertThat(status("a").inLine()).as("the owner").isFalse();
        assertThat(this.one.store().find(NAME).owner()).isEqualTo("a");
    }

    @Test
    void shouldFindTheNewOwnerAfterAHandOver() {
        start();
        long token = this.one.granted(NAME, "a");
        this.two.joins(NAME, "b");
        this.one.releases(NAME, "a");

        LineStatus found = status("b");

        assertThat(found.inLine()).isFalse();
        assertThat(found.lock().owner()).isEqualTo("b");
        assertThat(found.lock().fencingToken()).isGreaterThan(token);
        assertThat(found.lock().waiting()).isZero();
    }

    @Test
    void shouldNameTheOwnerThatKeepsTheLock() {
        start();
        this.one.granted(NAME, "a");
        this.one.store().keep(NAME, "a", 5_000);

        assertThat(status("b").lock().owner()).isEqualTo("a");
    }

    private void start() {
        this.one = instance("one");
        this.two = instance("two");
    }

    private LineStatus status(String acquisitionId) {
        return this.one
                .store()
                .findInLine(NAME, acquisitionId)
                .toCompletableFuture()
                .join();
    }
}
