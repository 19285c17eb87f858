package io.github.lockstarter.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Setup;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads of two instances want the same locks, and a replica confirms each grant. */
@Tag("redis")
class ConfirmedContentionTest {

    @AutoClose
    private final MasterWithReplicas servers = new MasterWithReplicas(1);

    @AutoClose
    private final Instances instances = new Instances();

    /** A release that grants to a waiter of its own instance leaves the confirmation to that waiter. */
    @Test
    void shouldExcludeAndGoOnWithoutHandOffInMemory() {
        contend(Setup::withoutHandOff);
    }

    @Test
    void shouldExcludeAndGoOnWithHandOffInMemory() {
        Instance one = contend(setup -> setup);

        assertThat(one.events().handOvers(Kind.LOCAL)).isPositive();
    }

    private Instance contend(UnaryOperator<Setup> more) {
        Instance one = instance(more);
        Instance other = instance(more);
        try (Crowd crowd = new Crowd(List.of("first", "second"))) {
            crowd.join(one, 4);
            crowd.join(other, 4);
            crowd.awaitGrants(300);
            Remarks.say("confirmed contention: " + crowd);
            assertThat(crowd.overlaps()).isEmpty();
            assertThat(crowd.disorder()).isEmpty();
        }
        assertThat(one.events().handOvers(Kind.REMOTE))
                .as("from the waiting line")
                .isPositive();
        return one;
    }

    private Instance instance(UnaryOperator<Setup> more) {
        return this.instances.at(
                this.servers.master(), setup -> more.apply(setup.calm().confirmReplicas(1)));
    }
}
