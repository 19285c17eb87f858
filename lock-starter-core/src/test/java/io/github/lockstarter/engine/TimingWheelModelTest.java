package io.github.lockstarter.engine;

import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of those who put, replace, remove and poll: the queue does what it would do for one after the other.
 */
@Param(name = "entry", gen = IntGen.class, conf = "0:1")
@Param(name = "due", gen = IntGen.class, conf = "1:3")
public class TimingWheelModelTest {

    private static final class Item extends TimingWheel.Entry {}

    private final TimingWheel<Item> queue = new TimingWheel<>(0);

    private final List<Item> items = List.of(new Item(), new Item(), new Item(), new Item());

    private static long time(int due) {
        return due * 2_000_000L;
    }

    @Operation
    public boolean put(@Param(name = "entry") int entry, @Param(name = "due") int due) {
        return this.queue.put(this.items.get(entry), time(due));
    }

    @Operation
    public void remove(@Param(name = "entry") int entry) {
        this.queue.remove(this.items.get(entry));
    }

    @Operation
    public int pollDue(@Param(name = "due") int now) {
        return this.queue.pollDue(time(now)).stream()
                .mapToInt(polled -> 1 << this.items.indexOf(polled))
                .sum();
    }

    @Operation
    public long firstDue() {
        return this.queue.firstDue(-1);
    }

    @Test
    void shouldBeAtomicInEveryInterleaving() {
        new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(2)
                .actorsAfter(2)
                .check(TimingWheelModelTest.class);
    }
}
