package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.fixture.Remarks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Virtual threads are owners as any others, and may be many more than there are carriers for them. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class VirtualThreadContract extends RegistryFixture {

    VirtualThreadContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldLetManyVirtualThreadsWait() throws Exception {
        ExecutorService threads = virtualThreads();
        try {
            LeasingLockRegistry here = registry(settings(LONG));
            LeasingLockRegistry there = registry(settings(LONG));
            List<Long> tokens = new ArrayList<>();
            List<Future<?>> ends = new ArrayList<>();
            here.getLock(NAME).lock();
            for (int i = 0; i < 300; i++) {
                LeaseLock lock = (i % 2 == 0 ? here : there).getLock(NAME);
                ends.add(threads.submit(() -> {
                    lock.lock();
                    tokens.add(lock.currentLease().fencingToken());
                    lock.unlock();
                }));
            }
            soon().until(() -> here.waiting() + there.waiting() == 300);
            here.getLock(NAME).unlock();
            for (Future<?> end : ends) {
                end.get(30, TimeUnit.SECONDS);
            }

            assertThat(tokens).hasSize(300).isSorted().doesNotHaveDuplicates();
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void shouldServeTenThousandOnAHundredLocksWithoutPinningAny() throws Exception {
        ExecutorService threads = virtualThreads();
        try (PinnedThreads pinned = PinnedThreads.record()) {
            LeasingLockRegistry here = registry(settings(LONG));
            LeasingLockRegistry there = registry(settings(LONG));
            int[] visits = new int[100];
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                int number = i % visits.length;
                LeasingLockRegistry registry = i / visits.length % 2 == 0 ? here : there;
                LockRequest request = LockRequest.of("orders:" + number).withWaitTime(LONG);
                ends.add(threads.submit(() -> registry.execute(request, lease -> visits[number]++)));
            }
            for (Future<?> end : ends) {
                end.get(50, TimeUnit.SECONDS);
            }

            assertThat(visits).containsOnly(100);
            assertThat(pinned.inLibrary()).isEmpty();
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void shouldNoticeThatAVirtualThreadHasEnded() throws Exception {
        ExecutorService threads = virtualThreads();
        try {
            LeaseLock lock = registry(settings(TIMEOUT.multipliedBy(4))).getLock(NAME);
            threads.submit(() -> lock.lock()).get(20, TimeUnit.SECONDS);

            assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
        } finally {
            threads.shutdown();
        }
    }

    private static ExecutorService virtualThreads() throws Exception {
        if (Runtime.version().feature() < 21) {
            String reason = "No virtual threads in Java " + Runtime.version() + ", they need 21";
            Remarks.say(reason);
            return abort(reason);
        }
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
