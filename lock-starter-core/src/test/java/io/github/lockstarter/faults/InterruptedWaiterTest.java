package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that is interrupted while its command is in flight: the other threads of its JVM wait as if nothing had been. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class InterruptedWaiterTest {

    private static final Predicate<List<String>> PING = Commands.named("PING");

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    InterruptedWaiterTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        Script.loadAll(redis);
    }

    private Instance instance(boolean privateConnection) {
        Instance instance = this.instances.at(
                this.proxy,
                setup -> privateConnection ? patient(setup) : patient(setup).sharedConnection());
        this.proxy.forgetCommands();
        return instance;
    }

    /** No command ends by itself, and no lock. */
    private static Setup patient(Setup setup) {
        return setup.lease(Duration.ofSeconds(30)).commandTimeout(Duration.ofSeconds(5));
    }

    private static Call<Boolean> waitFor(Instance instance, Duration time) {
        return Call.start(() -> instance.registry()
                .acquire(LockRequest.of("wanted").withWaitTime(time))
                .release());
    }

    private static Call<Boolean> lockUninterruptibly(Instance instance) {
        return Call.start(() -> {
            instance.lock("wanted").lock();
            boolean interrupted = Thread.interrupted();
            instance.lock("wanted").unlock();
            return interrupted;
        });
    }

    private void awaitAsks(int count) {
        soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE) >= count);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLeaveTheLockToTheNext(boolean privateConnection) throws Exception {
        Instance instance = instance(privateConnection);
        Call<Boolean> second;
        try (Hold reply = this.proxy.holdReply(Script.ACQUIRE)) {
            Call<Boolean> first = waitFor(instance, LIMIT);
            reply.awaitReached(LIMIT);
            second = waitFor(instance, LIMIT);
            soon().until(() -> instance.waiting() == 2);

            first.interrupt();

            assertThat(first.failure()).isInstanceOf(InterruptedException.class);
        }
        assertThat(second.result()).isTrue();
        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).hasSize(1);
    }

    @Test
    void shouldNotMakeTheConnectionSuspect() throws Exception {
        Instance instance = instance(true);
        long accepted = this.proxy.connectionsAccepted();
        Call<Boolean> call;
        try (Hold reply = this.proxy.holdReply(Script.ACQUIRE)) {
            call = lockUninterruptibly(instance);
            reply.awaitReached(LIMIT);
            call.interrupt();
            awaitAsks(2);
            assertThatTheConnectionIsNotChecked();
        }
        assertThat(call.result()).isTrue();
        assertThat(this.proxy.connectionsAccepted()).isEqualTo(accepted);
    }

    private void assertThatTheConnectionIsNotChecked() {
        soon().during(Duration.ofMillis(50)).until(() -> this.proxy.commandsSeen(PING) == 0);
    }
}
