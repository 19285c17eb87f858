package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first losses of a JVM come while its heap is full. When memory is free again, all of them are reported. */
@Timeout(120)
class FullHeapTest extends FaultFixture {

    @Test
    void shouldReportEachLoss() throws Exception {
        try (WorkerJvm worker =
                WorkerJvm.start(List.of("-Xmx100m"), Worker.class, Integer.toString(this.server.port()))) {
            // Threads of the client may end with an error, which the JVM prints: that is part of the fault.
            String line = worker.awaitLine(
                    each -> each.matches("(reported|Exception in thread \"main\").*"), Duration.ofSeconds(90));
            assertThat(line).as(() -> String.join("\n", worker.lines())).startsWith("reported");
        }
    }

    /** Holds many leases, and fills its heap for longer than they last. */
    static final class Worker {

        private static final int LEASES = 2_000;

        private Worker() {}

        public static void main(String[] arguments) throws Exception {
            try (Instances instances = new Instances()) {
                Instance instance =
                        instances.at(Integer.parseInt(arguments[0]), setup -> setup.lease(Duration.ofMillis(1500)));
                List<Lease> leases = new ArrayList<>();
                List<CompletableFuture<LossReason>> losses = new ArrayList<>();
                for (int i = 0; i < LEASES; i++) {
                    Lease lease = instance.acquire("held:" + i);
                    leases.add(lease);
                    losses.add(lease.lost().toCompletableFuture());
                }
                int errors = fill(Duration.ofMillis(2500));
                // Without a call of a lease, which would notice its end.
                for (CompletableFuture<LossReason> loss : losses) {
                    assertThat(loss.get(15, TimeUnit.SECONDS)).isNotNull();
                }
                for (Lease lease : leases) {
                    assertThat(lease.isHeld()).isFalse();
                    assertThat(lease.release()).isFalse();
                }
                assertThat(instance.acquire("another").release()).isTrue();
                System.out.println("reported all losses after " + errors + " errors");
                Runtime.getRuntime().halt(0);
            }
        }

        /** Returns how often there was no memory. */
        private static int fill(Duration time) {
            long end = System.nanoTime() + time.toNanos();
            Object[] ballast = null;
            int errors = 0;
            int size = 1 << 20;
            while (System.nanoTime() - end < 0) {
                try {
                    Object[] more = new Object[size];
                    more[0] = ballast;
                    ballast = more;
                } catch (OutOfMemoryError ex) {
                    errors++;
                    size = Math.max(1, size / 2);
                }
            }
            return errors;
        }
    }
}
