package io.github.lockstarter.sample.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.SampleApplication;
import io.github.lockstarter.sample.TicketOffice.Overview;
import io.github.lockstarter.sample.TicketOffice.Ticket;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DemonstrationTest {

    private static final Duration LIMIT = Duration.ofSeconds(200);

    /**
     * Other modules are tested at the same time. The workflow runs the demonstration with its own limits, on a machine
     * of its own.
     */
    private static final List<String> BUSY_MACHINE = List.of("-Ddemo.lease-seconds=6", "-Ddemo.limit-seconds=180");

    private final List<Ticket> stored = new ArrayList<>(IntStream.rangeClosed(1, Demonstration.SEATS)
            .mapToObj(n -> ticket(n, n))
            .toList());

    private final Map<Integer, Integer> statuses =
            new HashMap<>(Map.of(201, 50, 409, 148, DemoInstance.NO_ANSWER, 1, 503, 1));

    private final List<Ticket> received = new ArrayList<>(stored);

    @Test
    @Tag("full")
    void shouldEndWithZeroAfterTheFaults() throws InterruptedException {
        try (WorkerJvm demonstration = WorkerJvm.start(BUSY_MACHINE, SampleApplication.class, Demonstration.OPTION)) {
            int code = demonstration.awaitExit(LIMIT);

            assertThat(code).as(String.join("\n", demonstration.lines())).isZero();
            assertThat(demonstration.lines())
                    .filteredOn(line -> line.contains("s  sold "))
                    .hasSize(Demonstration.SEATS);
            assertThat(demonstration.lines())
                    .anyMatch(line -> line.contains("s  renewed "))
                    .anyMatch(line -> line.contains("s  lost "))
                    .anyMatch(line -> line.contains("s  refused "));
        }
    }

    @Test
    @Tag("full")
    void shouldEndWithOneWithoutAFence() throws InterruptedException {
        try (WorkerJvm demonstration = WorkerJvm.start(
                BUSY_MACHINE,
                SampleApplication.class,
                Demonstration.OPTION,
                "--distributed-lock.jdbc.fence.enabled=false")) {
            assertThat(demonstration.awaitExit(LIMIT)).isOne();
            assertThat(demonstration.lines())
                    .filteredOn(line -> line.startsWith("FAILED: "))
                    .singleElement()
                    .asString()
                    .contains("late write");
        }
    }

    @Test
    void shouldAcceptRisingTokens() {
        assertThat(violations(true)).isEmpty();
    }

    @Test
    void shouldRejectALateWrite() {
        assertThat(violations(false)).hasSize(1);
    }

    @Test
    void shouldRejectASeatThatIsNotSold() {
        stored.remove(stored.size() - 1);
        received.remove(received.size() - 1);

        assertThat(violations(true)).singleElement().asString().contains("49");
    }

    @Test
    void shouldRejectATokenThatDoesNotRise() {
        Ticket late = ticket(7, 6);
        stored.set(6, late);
        received.set(6, late);

        assertThat(violations(true)).singleElement().asString().contains("token of ticket 7");
    }

    @Test
    void shouldRejectATicketThatTwoBuyersHave() {
        received.add(stored.get(0));

        assertThat(violations(true)).singleElement().asString().contains("51");
    }

    @Test
    void shouldRejectATicketThatNoBuyerHas() {
        received.set(3, ticket(4, 1000));

        assertThat(violations(true)).hasSize(1);
    }

    @Test
    void shouldRejectBuyersWhoGotAnotherAnswer() {
        statuses.put(409, 147);
        statuses.put(500, 1);

        assertThat(violations(true)).singleElement().asString().contains("500=1");
    }

    private List<String> violations(boolean isLateWriteRefused) {
        Overview show = new Overview("show", Demonstration.SEATS, 0, stored.size(), stored);
        return Demonstration.violations(show, received, statuses, isLateWriteRefused);
    }

    private static Ticket ticket(int number, long token) {
        return new Ticket(number, token);
    }
}
