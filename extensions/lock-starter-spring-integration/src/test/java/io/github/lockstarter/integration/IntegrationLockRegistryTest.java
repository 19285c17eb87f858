package io.github.lockstarter.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.UUIDConverter;
import org.springframework.messaging.Message;

/** The contract of Spring Integration's registries, on real Redis. */
@RedisTest
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
class IntegrationLockRegistryTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final Duration SHORT = Duration.ofMillis(200);

    private static final String REDIS_KEY = "lock:{integration:42}";

    private final RedisCli cli;

    private final Instance here;

    private final Instance there;

    IntegrationLockRegistryTest(RedisServer redis, RedisCli cli) {
        this.cli = cli;
        this.here = new Instance(redis.port(), Duration.ofSeconds(30));
        this.there = new Instance(redis.port(), Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        assertThat(this.here.registry().active() + this.there.registry().active())
                .as("locks that were left")
                .isZero();
        this.here.close();
        this.there.close();
    }

    @Test
    void shouldBeOneLockForAllInstances() throws Exception {
        DistributedLock lock = this.here.locks().obtain("42");
        lock.lock();
        assertThat(this.here.locks().obtain(42).tryLock()).as("nested").isTrue();
        LeaseLock ours = this.here.registry().getLock("integration:42");

        assertThat(this.cli.hgetall(REDIS_KEY))
                .containsEntry("f", String.valueOf(ours.currentLease().fencingToken()));
        assertThat(this.there.locks().obtain("42").tryLock(Duration.ofMillis(-1), LONG))
                .isFalse();
        assertThat(new IntegrationLockRegistry(this.there.registry(), "other").obtain("42"))
                .satisfies(other -> {
                    assertThat(other.tryLock()).isTrue();
                    other.unlock();
                });

        lock.unlock();
        assertThat(this.cli.exists(REDIS_KEY)).isTrue();
        lock.unlock();
        assertThat(this.cli.exists(REDIS_KEY)).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void shouldTellALossAsOtherRegistriesDo() {
        DistributedLock lock = this.here.locks().obtain("42");
        lock.lock();
        lose();

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
        assertThatIllegalStateException()
                .isThrownBy(() -> this.here.locks().renewLock("42"))
                .withMessageContaining("integration:42");
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lock::unlock)
                .withMessageContaining("integration:42")
                .withCauseInstanceOf(LockLostException.class);

        lock.lock();
        lock.unlock();
    }

    /** Takes the lock away by force, and lets its owner notice. */
    private void lose() {
        assertThat(this.there.registry().getLock("integration:42").forceUnlock())
                .isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> this.here.locks().renewLock("42", LONG))
                .withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void shouldRenewWhatIsHeld() {
        IntegrationLockRegistry locks = this.here.locks();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> locks.renewLock("42"));
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> locks.renewLock("42", LONG));
        DistributedLock lock = locks.obtain("42");
        lock.lock(Duration.ofSeconds(10));
        assertThat(this.cli.pttl(REDIS_KEY))
                .as("the lease of lock(10 s) in Redis, in ms")
                .isLessThanOrEqualTo(10_000);

        locks.renewLock("42");
        assertThat(this.cli.pttl(REDIS_KEY)).isBetween(15_000L, 30_000L);
        locks.renewLock("42", LONG);
        assertThat(this.cli.pttl(REDIS_KEY)).isBetween(35_000L, 60_000L);
        locks.expireUnusedOlderThan(0);

        assertThat(this.there.locks().obtain("42").tryLock()).isFalse();
        lock.unlock();
        assertThat(this.cli.exists(REDIS_KEY)).isFalse();
    }

    @Test
    void shouldExecuteUnderTheLockAndHideNoExceptionOfTheBody() throws Exception {
        IntegrationLockRegistry locks = this.here.locks();
        DistributedLock elsewhere = this.there.locks().obtain("42");

        assertThat(locks.executeLocked("42", () -> elsewhere.tryLock() ? "free" : "locked"))
                .isEqualTo("locked");
        locks.executeLocked("42", LONG, () -> {
            assertThat(elsewhere.tryLock()).isFalse();
        });
        elsewhere.lock();
        long askedAt = System.nanoTime();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> locks.executeLocked("42", SHORT, () -> "ran"))
                .withMessageContaining("integration:42");
        assertThat(Duration.ofNanos(System.nanoTime() - askedAt))
                .as("time that the call has waited")
                .isGreaterThanOrEqualTo(SHORT);
        elsewhere.unlock();

        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(() -> locks.executeLocked("42", this::lose));
        assertThatExceptionOfType(TooBadException.class)
                .isThrownBy(() -> locks.executeLocked("42", LONG, this::loseAndFail))
                .satisfies(ex -> assertThat(ex.getSuppressed())
                        .as("the loss, suppressed by the exception of the body")
                        .hasSize(1)
                        .hasOnlyElementsOfType(ConcurrentModificationException.class));
    }

    @Test
    void shouldUseTheWaitTimeAndTheLeaseOfTheCall() throws Exception {
        DistributedLock lock = this.here.locks().obtain("42");

        assertThat(lock.tryLock(Duration.ofSeconds(2), LONG)).as("a free lock").isTrue();

        assertThat(this.cli.pttl(REDIS_KEY))
                .as("the lease of tryLock(2 s, 60 s) in Redis, in ms")
                .isBetween(35_000L, 60_000L);
        assertThat(this.there.locks().obtain("42").tryLock(1, TimeUnit.MILLISECONDS))
                .as("a lock of another instance within 1 ms")
                .isFalse();
        lock.unlock();
    }

    @Test
    void shouldEndTheWaitOfAnInterruptedThread() {
        IntegrationLockRegistry locks = this.here.locks();
        for (String method : List.of("lockInterruptibly", "executeLocked", "executeLocked with a wait time")) {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class)
                    .as("%s of an interrupted thread", method)
                    .isThrownBy(() -> {
                        switch (method) {
                            case "lockInterruptibly" -> {
                                locks.obtain("42").lockInterruptibly();
                                locks.obtain("42").unlock();
                            }
                            case "executeLocked" -> locks.executeLocked("42", () -> "ran");
                            default -> locks.executeLocked("42", LONG, () -> "ran");
                        }
                    });
            boolean unused = Thread.interrupted();
        }
    }

    @Test
    void shouldReleaseTheLockAfterABodyThatFails() {
        assertThatExceptionOfType(TooBadException.class)
                .isThrownBy(() -> this.here.locks().executeLocked("42", IntegrationLockRegistryTest::fail));

        assertThat(this.cli.exists(REDIS_KEY))
                .as("the lock is in Redis after a body that failed")
                .isFalse();
    }

    private static void fail() throws TooBadException {
        throw new TooBadException();
    }

    @Test
    void shouldGuardTheGroupsOfAnAggregator() throws Exception {
        DistributedLock group =
                this.there.locks().obtain(UUIDConverter.getUUID("order").toString());
        try (var context = new AnnotationConfigApplicationContext(Integration.class)) {
            QueueChannel output = new QueueChannel();
            var aggregator = new AggregatingMessageHandler(new DefaultAggregatingMessageGroupProcessor());
            aggregator.setLockRegistry(this.here.locks());
            aggregator.setOutputChannel(output);
            aggregator.setBeanFactory(context);
            aggregator.afterPropertiesSet();
            group.lock();

            CompletableFuture<Void> first = CompletableFuture.runAsync(() -> aggregator.handleMessage(message(1)));
            await().until(() -> this.here.registry().waiting() == 1);
            assertThat(first).isNotDone();
            group.unlock();
            first.get(20, TimeUnit.SECONDS);
            aggregator.handleMessage(message(2));

            assertThat(output.receive(0))
                    .extracting(Message::getPayload)
                    .asInstanceOf(LIST)
                    .containsExactly("part 1", "part 2");
        }
    }

    private static Message<?> message(int number) {
        return MessageBuilder.withPayload("part " + number)
                .setCorrelationId("order")
                .setSequenceNumber(number)
                .setSequenceSize(2)
                .build();
    }

    private void loseAndFail() throws TooBadException {
        lose();
        throw new TooBadException();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Integration {}

    private static final class TooBadException extends Exception {

        private static final long serialVersionUID = 1L;
    }
}
