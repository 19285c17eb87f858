package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands after the end of a lock, in histories that were written by hand. */
class SilenceRuleTest {

    private static final String ENDED = """
             0 a 1 ACQUIRE  job 0 50
             1 a 1 GRANTED  job 7 91
             2 a 0 NAMED    job 7 0 x1
            30 nemesis 0 COMMAND job 0 0 renew x1
            60 a 1 RELEASE  job 7
            61 a 1 RELEASED job 7
            """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "85 nemesis 0 COMMAND job 0 0 renew x1",
                "99 nemesis 0 COMMAND job 0 0 renew x2",
                "99 nemesis 0 COMMAND other 0 0 renew x1",
                "99 nemesis 0 COMMAND job 0 0 release x1"
            })
    void shouldLetThroughWhatDoesNotConcernIt(String command) {
        assertThat(Told.violations(ENDED + command)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"renew", "acquire"})
    void shouldNameACommandAfterTheEnd(String script) {
        assertThat(Told.violations(ENDED + "99 nemesis 0 COMMAND job 0 0 " + script + " x1"))
                .singleElement()
                .asString()
                .startsWith("silence: A command for 'job' after its end: a/1 (token 7) ended at [61000000 a 1 RELEASED")
                .contains("99000000 nemesis 0 COMMAND job 0 0 " + script + " x1");
    }

    @Test
    void shouldKnowThatALockCanBeHandedOnUnderTheSameId() {
        assertThat(Told.violations(ENDED + """
                          5 a 2 ACQUIRE  job 0 500
                         61 a 2 GRANTED  job 8 130
                         62 a 0 NAMED    job 8 0 x1
                         99 nemesis 0 COMMAND job 0 0 renew x1
                        100 a 2 RELEASE  job 8
                        101 a 2 RELEASED job 8
                        """)).isEmpty();
    }

    @Test
    void shouldNotWonderAboutACommandThatCameOnABadWay() {
        assertThat(Told.violations(ENDED + """
                        55 nemesis 1 FAULT a
                        95 nemesis 1 HEALED a
                        99 nemesis 0 COMMAND job 0 0 renew x1
                        """)).isEmpty();
    }
}
