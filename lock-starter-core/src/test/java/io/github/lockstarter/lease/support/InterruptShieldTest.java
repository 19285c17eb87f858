package io.github.lockstarter.lease.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterruptShieldTest {

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void shouldGiveBackAnInterruptThatCameBefore() {
        Thread.currentThread().interrupt();
        try (InterruptShield shield = new InterruptShield()) {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(shield.caught()).isFalse();
        }

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void shouldCatchAnInterruptOnceAndGiveItBackAtTheEnd() {
        try (InterruptShield shield = new InterruptShield()) {
            assertThat(shield.caught()).isFalse();
            Thread.currentThread().interrupt();
            assertThat(shield.caught()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(shield.caught()).isFalse();
        }

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void shouldLeaveAnInterruptThatNobodyCaught() {
        try (InterruptShield shield = new InterruptShield()) {
            assertThat(shield.caught()).isFalse();
            Thread.currentThread().interrupt();
        }

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void shouldNotInterruptByItself() {
        try (InterruptShield shield = new InterruptShield()) {
            assertThat(shield.caught()).isFalse();
        }

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
