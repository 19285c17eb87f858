package io.github.lockstarter.registry;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of threads that log at the same time: a line is allowed once a minute, as for one thread after the
 * other.
 */
@Param(name = "kind", gen = IntGen.class, conf = "0:1")
public class LineLimitModelTest {

    private final AtomicLong nanoTime = new AtomicLong();

    private final LineLimit limit = new LineLimit(this.nanoTime::get);

    /** One of the lines was logged a minute ago. */
    public LineLimitModelTest() {
        boolean unused = allows(0);
        this.nanoTime.set(TimeUnit.MINUTES.toNanos(1));
    }

    @Operation
    public boolean allows(@Param(name = "kind") int kind) {
        return this.limit.allows("kind " + kind, "name");
    }

    @Test
    void shouldBeAtomicInEveryInterleaving() {
        new ModelCheckingOptions()
                .iterations(2)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .check(LineLimitModelTest.class);
    }
}
