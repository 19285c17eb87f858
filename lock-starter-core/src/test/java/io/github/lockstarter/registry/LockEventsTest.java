package io.github.lockstarter.registry;

import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeaseClock;
import io.github.lockstarter.store.InMemoryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.test.util.ReflectionTestUtils;

/** What observers are told of grants that are lost or released. */
@Timeout(30)
class LockEventsTest {

    @AutoClose("stop")
    private final Run run = started();

    private Run started() {
        Run created = new Run(
                new InMemoryLockStore(),
                LockSettings.of(Duration.ofSeconds(30)),
                new LockEvents.Observers(null, List.of(), AcquireObserver.NONE),
                LeaseClock.SYSTEM);
        created.start();
        return created;
    }

    private LockEvents events() {
        return this.run.leases.events();
    }

    private LeaseHandle lease(String name) throws Exception {
        return (LeaseHandle) get(this.run.acquisitions.acquireLater(LockRequest.of(name)));
    }

    private void lose(LeaseHandle lease) {
        this.run.engine.change(lease.grant, (lock, now) -> lock.takenOver(lease.grant, now));
    }

    private Map<?, ?> hooks() {
        return (Map<?, ?>) ReflectionTestUtils.getField(events(), "hooks");
    }

    @Test
    void shouldKeepNoHookOfAGrantThatHasEnded() throws Exception {
        LeaseHandle released = lease("released");
        LeaseHandle lost = lease("lost");
        List<LossReason> reasons = new ArrayList<>();
        events().onLoss(released.grant, reasons::add);
        events().onLoss(lost.grant, reasons::add);

        assertThat(released.release()).as("the lease was held").isTrue();
        lose(lost);

        assertThat(reasons).as("losses that hooks are told of").containsExactly(LossReason.TAKEN_OVER);
        assertThat(hooks()).as("hooks of grants that have ended").isEmpty();
        events().onLoss(released.grant, reasons::add);
        events().onLoss(lost.grant, reasons::add);
        assertThat(hooks()).as("hooks that were added after the end").isEmpty();
        assertThat(reasons)
                .as("losses, with that of which a later hook is told at once")
                .containsExactly(LossReason.TAKEN_OVER, LossReason.TAKEN_OVER);
    }

    @Test
    void shouldShowTheLatestLoss() throws Exception {
        lose(lease("first"));
        lose(lease("second"));

        LockHealth.Loss loss = events().lastLoss();
        assertThat(loss).as("the latest loss").isNotNull();
        assertThat(loss.lock()).as("name of the latest loss").isEqualTo("second");
        assertThat(events().losses()).as("number of losses").isEqualTo(2);
    }
}
