package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Keys may be personal data: where they are not to be logged, messages show a digest, and the API the name. */
@RedisTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class KeysInMessagesTest {

    private static final String SECRET = "alice@example.com";

    private static final String NAME = "order:" + SECRET;

    /** {@code printf %s order:alice@example.com | sha256sum}. */
    private static final String SHOWN = "order:#9b0ecf24";

    @AutoClose
    private final Instances instances = new Instances();

    private final LogCapture log = new LogCapture("io.github.lockstarter", Level.DEBUG);

    private final FaultProxy proxy;

    private final RedisCli redis;

    KeysInMessagesTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
    }

    @AfterEach
    void shouldNeverBeLogged() {
        this.log.close();
        assertThat(this.log.all()).noneMatch(line -> line.contains("alice"));
    }

    private Instance instance(UnaryOperator<Setup> setup) {
        return this.instances.at(this.proxy, all -> setup.apply(all.withoutKeysInMessages()));
    }

    private static void hidesTheKey(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(Stream.iterate(thrown, each -> each != null, Throwable::getCause))
                .isNotEmpty()
                .allSatisfy(
                        each -> assertThat(String.valueOf(each.getMessage())).doesNotContain("alice"));
        assertThat(thrown).hasMessageContaining(SHOWN);
    }

    @Test
    void shouldBeHiddenFromThoseWhoMisuseALock() throws Exception {
        Instance instance = instance(Setup::calm);
        LeaseLock lock = instance.lock(NAME);
        hidesTheKey(lock::unlock);
        hidesTheKey(lock::newCondition);
        lock.lock();

        hidesTheKey(() -> instance.acquire(NAME));
        hidesTheKey(() -> lock.currentLease().extend(LockRequest.FOREVER));
        assertThat(lock).hasToString("LeaseLock[" + SHOWN + "]");
        assertThat(lock.currentLease().toString()).contains(SHOWN).doesNotContain("alice");
        assertThat(lock.currentLease().name()).isEqualTo(NAME);
        assertThat(catchThrowable(() -> LockRequest.of(NAME).withWaitTime(Duration.ofDays(-1))))
                .hasMessageContaining("'order'")
                .hasMessageNotContaining("alice");
        assertThat(catchThrowable(() -> LockRequest.of(NAME.repeat(100))))
                .hasMessageContaining("'order'")
                .hasMessageNotContaining("alice");
        Lease released = instance.acquire("order:alice 2");
        released.release();
        assertThat(catchThrowable(released::ensureHeld))
                .hasMessageContaining("order:#")
                .hasMessageNotContaining("alice");
    }

    @Test
    void shouldBeHiddenInRequests() {
        assertThat(LockRequest.of(NAME)).hasToString("LockRequest[" + SHOWN + "]");
        assertThat(LockRequest.of("order", SECRET)).hasToString("LockRequest[" + SHOWN + "]");
        assertThat(LockRequest.of("order")).hasToString("LockRequest[order]");
    }

    @Test
    void shouldBeHiddenWhereALockIsHeldElsewhere() throws Exception {
        Lease held = instance(Setup::calm).acquire(NAME);
        Instance other = instance(Setup::calm);

        hidesTheKey(() -> other.registry().acquire(LockRequest.of(NAME).withWaitTime(Duration.ZERO)));
        hidesTheKey(() -> other.registry()
                .acquireAsync(LockRequest.of(NAME).withWaitTime(Duration.ZERO))
                .get(20, TimeUnit.SECONDS));
        assertThat(held.release()).isTrue();
    }

    @Test
    void shouldBeHiddenWhenALockIsLostAndStayInTheApi() throws Exception {
        Instance instance = instance(Setup::calm);
        Lease lease = instance.acquire(NAME);
        this.redis.command("DEL", "lock:{" + NAME + "}");
        soon().until(() -> lease.state() == Lease.State.LOST);

        hidesTheKey(lease::ensureHeld);
        LockLostException loss = catchThrowableOfType(LockLostException.class, lease::ensureHeld);
        assertThat(loss.lockName()).isEqualTo(NAME);
        soon().until(() -> instance.events().count(LockLostEvent.class) == 1);
        assertThat(instance.events().all(LockLostEvent.class).get(0).lockName()).isEqualTo(NAME);
        soon().until(() -> !this.log.with("is LOST").isEmpty());
        assertThat(this.log.with("is LOST")).singleElement().asString().contains("'" + SHOWN + "'");
    }

    @Test
    void shouldBeHiddenWhenRedisIsGone() throws Exception {
        Instance instance = instance(setup -> setup);
        Lease lease = instance.acquire(NAME);
        this.proxy.refuse();
        this.proxy.cutRst();

        hidesTheKey(() -> instance.registry().acquire(LockRequest.of(NAME).withWaitTime(Duration.ZERO)));
        hidesTheKey(() -> instance.lock(NAME).isLocked());
        assertThat(catchThrowable(() -> instance.lock(NAME).isLocked())).isInstanceOf(LockStoreException.class);
        lease.release();
        soon().until(() -> !this.log.with("could not be released").isEmpty());
        assertThat(this.log.with("could not be released"))
                .allSatisfy(line -> assertThat(line).contains(SHOWN));
        this.proxy.accept();
    }
}
