package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How waits end, in histories that were written by hand. */
class WaitingRuleTest {

    /** Somebody has the lock until 60. */
    private static final String OWNER = """
             0 a 1 ACQUIRE  job 0 50
             1 a 1 GRANTED  job 7 91
            60 a 1 RELEASE  job 7
            61 a 1 RELEASED job 7
            """;

    @Test
    void shouldLetARefusalThroughThatHasAnOwnerToBlame() {
        assertThat(Told.violations(OWNER + """
                        10 b 1 ACQUIRE job 0 40
                        45 b 1 NOT_GRANTED job
                        """)).isEmpty();
    }

    @Test
    void shouldNameARefusalForWhichNobodyIsToBlame() {
        assertThat(Told.violations(OWNER + """
                        120 b 1 ACQUIRE job 0 130
                        131 b 1 NOT_GRANTED job
                        """))
                .singleElement()
                .asString()
                .startsWith("honesty: Told that somebody else had 'job'")
                .contains("b 1 ACQUIRE", "b 1 NOT_GRANTED");
    }

    @Test
    void shouldBlameWhoeverMayStillHaveItInTheStore() {
        assertThat(Told.violations("""
                          0 a 1 ACQUIRE job 0 20
                         21 a 1 UNKNOWN job
                        100 b 1 ACQUIRE job 0 110
                        111 b 1 NOT_GRANTED job
                        """)).isEmpty();
    }

    @Test
    void shouldNameAWaitThatEndsTooLate() {
        assertThat(Told.violations(OWNER + """
                        10 b 1 ACQUIRE job 0 40
                        75 b 1 FAILED job
                        """))
                .singleElement()
                .asString()
                .startsWith("waiting: A wait for 'job' did not end in time")
                .contains("b 1 ACQUIRE", "b 1 FAILED");
    }

    @Test
    void shouldNameAWaitThatNeverEnds() {
        assertThat(Told.violations(OWNER + "10 b 1 ACQUIRE job 0 20"))
                .isNotEmpty()
                .allMatch(violation -> violation.startsWith("waiting: ") && violation.contains("has no end"));
    }

    @Test
    void shouldNotBlameAProcessThatStoodStill() {
        assertThat(Told.violations(OWNER + """
                        10 b 1 ACQUIRE job 0 40
                        95 b 0 STOOD_STILL * 0 35
                        96 b 1 FAILED job
                        """)).isEmpty();
    }

    @Test
    void shouldNameAWaitForALockThatNobodyHas() {
        assertThat(Told.violations(OWNER + """
                         10 b 1 ACQUIRE job 0 500
                        400 b 1 NOT_GRANTED job
                        """))
                .singleElement()
                .asString()
                .startsWith("waiting: Nobody had 'job' from 101000000 to 400000000")
                .contains("b 1 ACQUIRE");
    }

    @Test
    void shouldNameAWaitThatIsPassedOverAgainAndAgain() {
        assertThat(Told.violations("0 w 1 ACQUIRE job 0 5000\n" + taken("b", "c")))
                .singleElement()
                .asString()
                .startsWith("waiting: A wait for 'job' was passed over 20 times: [0 w 1 ACQUIRE")
                .contains("GRANTED job 20 ");
    }

    /** Goes to and fro between two instances, for half a lease each. */
    private static String taken(String one, String other) {
        StringBuilder story = new StringBuilder();
        for (int i = 1; i < 25; i++) {
            String who = i % 2 == 0 ? one : other;
            story.append("""
                    %1$d %4$s %3$d ACQUIRE job 0 5000
                    %1$d %4$s %3$d GRANTED job %3$d %2$d
                    %2$d %4$s %3$d RELEASE job %3$d
                    %2$d %4$s %3$d RELEASED job %3$d
                    """.formatted(i * 50, i * 50 + 49, i, who));
        }
        return story.toString();
    }
}
