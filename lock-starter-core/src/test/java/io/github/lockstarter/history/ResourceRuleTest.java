package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the guarded resource accepted, in histories that were written by hand. */
class ResourceRuleTest {

    @Test
    void shouldLetWritesThroughThatFollowEachOther() {
        assertThat(Told.violations("""
                        1 a 1 ACCEPTED job 7 1 fenced -
                        2 b 1 ACCEPTED job 8 2 fenced 7#1
                        3 a 2 ACCEPTED job 9 3 fenced 8#1
                        3 a 2 ACCEPTED other 9 3 fenced 8#1
                        """)).isEmpty();
    }

    @Test
    void shouldNameASmallerTokenAfterALargerOne() {
        assertThat(Told.violations("""
                        1 a 1 ACCEPTED job 8 1 fenced -
                        2 b 1 ACCEPTED job 7 2 fenced 8#1
                        """))
                .singleElement()
                .asString()
                .startsWith("resource: The fenced resource of 'job' accepted a smaller token")
                .contains("a 1 ACCEPTED job 8", "b 1 ACCEPTED job 7");
    }

    @Test
    void shouldNameALostUpdateOfAFencedResourceAndCountThoseOfAnother() {
        History history = Told.history("""
                1 a 1 ACCEPTED job 7 1 fenced -
                2 b 1 ACCEPTED job 8 2 fenced -
                3 c 1 ACCEPTED job 7 1 bare -
                4 d 1 ACCEPTED job 8 2 bare -
                """);

        assertThat(new ResourceRule().violations(history, Told.LIMITS))
                .singleElement()
                .asString()
                .startsWith("An update of the fenced resource of 'job' is lost")
                .contains("a 1 ACCEPTED", "b 1 ACCEPTED");
        assertThat(ResourceRule.lostUpdates(history, Register.BARE))
                .singleElement()
                .asString()
                .contains("c 1 ACCEPTED", "d 1 ACCEPTED");
    }
}
