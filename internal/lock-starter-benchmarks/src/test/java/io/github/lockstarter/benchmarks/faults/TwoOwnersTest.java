package io.github.lockstarter.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.history.History;
import io.github.lockstarter.testsupport.history.Trouble;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pairs of owners in histories that were written by hand, with times in nanoseconds. */
class TwoOwnersTest {

    private static final Duration REPLY = Duration.ofNanos(8);

    /** The process of the first owner is paused from 20 to 110. The second owner has the lock from 100 to 150. */
    private static final String PAUSED = """
              0 a 1 ACQUIRE  job 0 50
              1 a 1 GRANTED  job
             15 nemesis 1 FAULT a 0 0 PROCESS_STOPPED_FOR_LONG for 90 ms
             90 b 1 ACQUIRE  job 0 500
            100 b 1 GRANTED  job
            110 a 0 STOOD_STILL * 0 20
            140 a 1 RELEASE  job
            141 a 1 RELEASED job
            150 b 1 RELEASE  job
            151 b 1 RELEASED job
            """;

    private static List<TwoOwners> in(History history) {
        return TwoOwners.in(history, REPLY);
    }

    @Test
    void shouldFindNoPairAmongOwnersThatFollowEachOther() {
        assertThat(in(History.of("""
                 0 a 1 ACQUIRE  job 0 50
                 1 a 1 GRANTED  job
                 2 b 1 ACQUIRE  job 0 500
                 8 a 1 RELEASE  job
                 9 b 1 GRANTED  job
                10 a 1 RELEASED job
                20 b 1 LOST     job 0 0 seen
                """))).isEmpty();
    }

    @Test
    void shouldOmitTheTimeInWhichAnOwnerStoodStill() {
        assertThat(in(History.of(PAUSED)))
                .containsExactly(new TwoOwners("a/1", "b/1", Optional.of(Trouble.PROCESS_STOPPED_FOR_LONG), 140 - 110));
    }

    @Test
    void shouldEndTheOwnershipWithANotice() {
        assertThat(in(History.of(PAUSED + "112 a 1 LOST job 0 0 EXPIRED")))
                .extracting(TwoOwners::bothRan)
                .containsExactly(2L);
    }

    @Test
    void shouldEndTheOwnershipWithTheProcess() {
        assertThat(in(History.of(PAUSED + "99 nemesis 0 KILLED a"))).isEmpty();
    }

    /** The second owner has the lock, and the first one releases it later. No process stands still. */
    private static String taken(String grant, String fault, String healed) {
        return """
                  6 a 1 ACQUIRE  job 0 50
                 %s a 1 GRANTED  job
                 90 b 1 ACQUIRE  job 0 500
                100 b 1 GRANTED  job
                140 a 1 RELEASE  job
                 99 nemesis 3 FAULT * 0 0 SCRIPTS_FORGOTTEN for 0 ms
                 %s
                 %s nemesis 2 HEALED *
                """.formatted(grant, fault, healed);
    }

    /** The reply to a grant may have been under way since before the loss, but not since before the request. */
    @ParameterizedTest
    @CsvSource({
        "12, 6, SCRIPTS_FORGOTTEN",
        "12, 7, REDIS_RESTARTED_EMPTY",
        "30, 22, SCRIPTS_FORGOTTEN",
        "30, 23, REDIS_RESTARTED_EMPTY"
    })
    void shouldBlameALossOfDataOnlyIfTheGrantCanHaveBeenBeforeIt(String granted, String at, Trouble trouble) {
        String fault = at + " nemesis 2 FAULT * 0 0 REDIS_RESTARTED_EMPTY for 0 ms";

        assertThat(in(History.of(taken(granted, fault, at))))
                .extracting(TwoOwners::trouble)
                .containsExactly(Optional.of(trouble));
    }

    /** Redis is empty when its restart is over; what lasts longer is the trouble. */
    @Test
    void shouldNotBlameARestartForAGrantAfterIt() {
        String fault = "10 nemesis 2 FAULT * 0 0 REDIS_RESTARTED_EMPTY for 1 ms";

        assertThat(in(History.of(taken("30", fault, "1000015"))))
                .extracting(TwoOwners::trouble)
                .containsExactly(Optional.of(Trouble.SCRIPTS_FORGOTTEN));
    }

    /** Until the end of a failover, all clients are connected to a server that has all data. */
    @ParameterizedTest
    @CsvSource({"0, REDIS_FAILED_OVER_WITH_LOSS", "1, SCRIPTS_FORGOTTEN"})
    void shouldBlameAFailoverWithLossOnlyAfterIt(String millis, Trouble trouble) {
        String fault = "14 nemesis 2 FAULT * 0 0 REDIS_FAILED_OVER_WITH_LOSS for " + millis + " ms";

        assertThat(in(History.of(taken("12", fault, "2000000"))))
                .extracting(TwoOwners::trouble)
                .containsExactly(Optional.of(trouble));
    }

    @Test
    void shouldBlameThePauseOfAnOwnerThoughDataWasLostDuringIt() {
        assertThat(in(History.of(PAUSED + "25 nemesis 2 FAULT * 0 0 REDIS_RESTARTED_EMPTY for 0 ms")))
                .extracting(TwoOwners::trouble)
                .containsExactly(Optional.of(Trouble.PROCESS_STOPPED_FOR_LONG));
    }

    /** The first owner has deleted the key of the second one. */
    @Test
    void shouldNameTheTroubleOfTheFirstPairForAThirdOwner() {
        assertThat(in(History.of(PAUSED + """
                        142 nemesis 2 FAULT * 0 0 SCRIPTS_FORGOTTEN for 0 ms
                        143 c 1 ACQUIRE job 0 500
                        145 c 1 GRANTED job
                        """)))
                .containsExactly(
                        new TwoOwners("a/1", "b/1", Optional.of(Trouble.PROCESS_STOPPED_FOR_LONG), 30),
                        new TwoOwners("b/1", "c/1", Optional.of(Trouble.PROCESS_STOPPED_FOR_LONG), 5));
    }
}
