package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What becomes of a body whose lease is lost while it runs. */
abstract class ExecuteLossContract extends RegistryFixture {

    ExecuteLossContract(LockBackend backend) {
        super(backend);
    }

    /** Takes the lock away and waits until its owner knows. */
    private void lose(Lease lease) throws Exception {
        registry().getLock(NAME).forceUnlock();
        assertThat(get(lease.lost())).isEqualTo(LossReason.DELETED);
    }

    @Test
    void shouldThrowAfterTheBodyHasReturned() {
        LeasingLockRegistry registry = registry();
        boolean[] ended = new boolean[1];

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> registry.execute(request(), lease -> {
                    lose(lease);
                    ended[0] = true;
                    return "result";
                }))
                .satisfies(ex -> {
                    assertThat(ex.reason()).isEqualTo(LossReason.DELETED);
                    assertThat(ex.lockName()).isEqualTo(NAME);
                    assertThat(ex.fencingToken()).isPositive();
                });

        assertThat(ended[0]).isTrue();
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
    }

    @Test
    void shouldNotHideTheExceptionOfTheBody() {
        LeasingLockRegistry registry = registry();
        IOException failure = new IOException("of the body");

        Throwable thrown = catchThrowable(() -> registry.execute(request(), lease -> {
            lose(lease);
            throw failure;
        }));

        assertThat(thrown).isSameAs(failure);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    @Test
    void shouldIgnoreTheLossIfAsked() throws Exception {
        LeasingLockRegistry registry = registry();

        String result = registry.execute(request().withOnLost(OnLost.IGNORE), lease -> {
            lose(lease);
            return "result";
        });
        IOException failure = new IOException("of the body");
        Throwable thrown = catchThrowable(() -> registry.execute(request().withOnLost(OnLost.IGNORE), lease -> {
            lose(lease);
            throw failure;
        }));

        assertThat(result).isEqualTo("result");
        assertThat(thrown).isSameAs(failure).hasNoSuppressedExceptions();
    }

    @Test
    void shouldDoWhatIsConfigured() throws Exception {
        LockSettings settings = settings(TIMEOUT);
        LeasingLockRegistry ignoring = registry(LockSettings.of(
                settings.waitTime(),
                OnLost.IGNORE,
                settings.watchdogTimeout(),
                settings.renewInterval(),
                null,
                settings.commandTimeout(),
                settings.pollInterval(),
                settings.shutdownTimeout()));

        assertThat(ignoring.<String, Exception>execute(request(), lease -> {
                    lose(lease);
                    return "result";
                }))
                .isEqualTo("result");
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ignoring.execute(request().withOnLost(OnLost.THROW), lease -> {
                    lose(lease);
                    return "result";
                }));
    }

    @Test
    void shouldReportALeaseThatWasTooShort() {
        LeasingLockRegistry registry = registry();

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> registry.execute(request().withLease(Duration.ofMillis(100)), lease -> {
                    get(lease.lost());
                    return true;
                }))
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.EXPIRED));
    }
}
