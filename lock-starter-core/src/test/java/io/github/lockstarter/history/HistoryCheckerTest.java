package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Belief and tokens, in histories that were written by hand: what is wrong is named, what is right is let through. */
class HistoryCheckerTest {

    private static final String FIRST = """
              0 a 1 ACQUIRE  job 0 50
              1 a 1 GRANTED  job 7 91
            """;

    @Test
    void shouldLetAnOrderlyHistoryThrough() {
        assertThat(Told.violations(FIRST + """
                         2 b 1 ACQUIRE  job 0 500
                        50 a 1 HELD     job 7 140
                        60 a 1 RELEASE  job 7
                        62 a 1 RELEASED job 7
                        61 b 1 GRANTED  job 8 151
                        70 b 1 RELEASE  job 8
                        71 b 1 RELEASED job 8
                        # not an event
                        """)).isEmpty();
    }

    @Test
    void shouldNameTwoOwners() {
        assertThat(Told.violations(FIRST + """
                         2 b 1 ACQUIRE  job 0 500
                        40 b 1 GRANTED  job 8 130
                        50 b 1 RELEASE  job 8
                        51 b 1 RELEASED job 8
                        60 a 1 RELEASE  job 7
                        62 a 1 NOT_OURS job 7
                        """))
                .anyMatch(violation -> violation.startsWith("belief: Two owners of 'job': a/1 (token 7)")
                        && violation.contains("[1000000 a 1 GRANTED job 7 91000000]")
                        && violation.contains("[40000000 b 1 GRANTED job 8 130000000]"));
    }

    @Test
    void shouldNameAnOwnerWhoSawItsLeaseHeldTooLong() {
        assertThat(Told.violations(FIRST + """
                          2 b 1 ACQUIRE  job 0 500
                        110 b 1 GRANTED  job 8 190
                        112 a 1 HELD     job 7 113
                        114 a 1 LOST     job 7 0 EXPIRED
                        150 b 1 RELEASE  job 8
                        151 b 1 RELEASED job 8
                        """))
                .singleElement()
                .asString()
                .startsWith("belief: Two owners of 'job': a/1");
    }

    /** Its thread was granted the lock, and did not get its turn on the processor before the lease was over. */
    @Test
    void shouldNotMindAGrantOfWhichNothingWasLeft() {
        assertThat(Told.violations(FIRST + """
                         0 b 1 ACQUIRE  job 0 500
                        10 b 1 GRANTED  job 6 10
                        12 b 1 LOST     job 6 0 EXPIRED
                        13 b 1 RELEASE  job 6
                        14 b 1 NOT_OURS job 6
                        60 a 1 RELEASE  job 7
                        62 a 1 RELEASED job 7
                        """)).isEmpty();
    }

    @Test
    void shouldNotMindTwoOwnersOfDifferentLocks() {
        assertThat(Told.violations(FIRST + """
                         2 b 1 ACQUIRE  other 0 500
                        40 b 1 GRANTED  other 8 130
                        50 b 1 RELEASE  other 8
                        51 b 1 RELEASED other 8
                        60 a 1 RELEASE  job 7
                        62 a 1 RELEASED job 7
                        """)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 7})
    void shouldNameATokenThatIsNotLargerThanThoseBefore(long token) {
        assertThat(Told.violations(FIRST + """
                        60 a 1 RELEASE  job 7
                        62 a 1 RELEASED job 7
                        70 b 1 ACQUIRE  job 0 500
                        71 b 1 GRANTED  job %1$d 161
                        80 b 1 RELEASE  job %1$d
                        81 b 1 RELEASED job %1$d
                        """.formatted(token)))
                .singleElement()
                .asString()
                .startsWith("tokens: ")
                .contains("GRANTED job 7", "GRANTED job " + token);
    }

    @Test
    void shouldNotCompareTokensOfGrantsThatNobodyPutInOrder() {
        // b asked before a knew: which of them was first cannot be told
        assertThat(new TokenRule().violations(Told.history("""
                                        0 a 1 ACQUIRE job 0 50
                                        0 b 1 ACQUIRE job 0 50
                                        9 a 1 GRANTED job 7 10
                                        9 b 1 GRANTED job 6 10
                                        """), Told.LIMITS)).isEmpty();
    }
}
