package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who is told of a loss, and when, in histories that were written by hand. */
class NoticeRuleTest {

    private static final String TAKEN_OVER = """
              0 a 1 ACQUIRE  job 0 50
              1 a 1 GRANTED  job 7 91
              2 b 1 ACQUIRE  job 0 500
            110 b 1 GRANTED  job 8 200
            150 b 1 RELEASE  job 8
            151 b 1 RELEASED job 8
            """;

    @ParameterizedTest
    @CsvSource({"91", "110", "129"})
    void shouldLetANoticeInTimeThrough(long told) {
        assertThat(Told.violations(TAKEN_OVER + told + " a 1 LOST job 7 0 EXPIRED"))
                .isEmpty();
    }

    @Test
    void shouldNameANoticeThatCameLate() {
        assertThat(Told.violations(TAKEN_OVER + "140 a 1 LOST job 7 0 EXPIRED"))
                .singleElement()
                .asString()
                .startsWith("notice: Not told in time that 'job' is lost: a/1")
                .contains("140000000 a 1 LOST", "b 1 GRANTED job 8");
    }

    @Test
    void shouldNameALossOfWhichNobodyTold() {
        assertThat(Told.violations(TAKEN_OVER))
                .singleElement()
                .asString()
                .startsWith("notice: ")
                .contains("was never told", "b 1 GRANTED job 8");
    }

    @Test
    void shouldNotExpectADeadProcessToHear() {
        assertThat(Told.violations(TAKEN_OVER + "60 nemesis 0 KILLED a")).isEmpty();
    }

    @Test
    void shouldGiveAProcessThatStoodStillTheTimeToHear() {
        assertThat(Told.violations(TAKEN_OVER + """
                        180 a 0 STOOD_STILL * 0 60
                        185 a 1 LOST job 7 0 EXPIRED
                        """)).isEmpty();
    }

    @Test
    void shouldNameALeaseThatIsHeldAfterItWasLost() {
        assertThat(Told.violations("""
                         0 a 1 ACQUIRE  job 0 50
                         1 a 1 GRANTED  job 7 91
                        20 a 1 LOST     job 7 0 TAKEN_OVER
                        30 a 1 HELD     job 7 91
                        40 a 1 RELEASE  job 7
                        41 a 1 NOT_OURS job 7
                        """))
                .singleElement()
                .asString()
                .startsWith("notice: Held after the notice of its loss: a/1");
    }
}
