package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.history.History;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories of two instances, written by hand: the rules find what violates them, and nothing else. */
class LeaderRulesTest {

    /** Times are in milliseconds here. The first instance is stopped, and the second one leads. */
    private static final List<String> HAND_OVER = List.of(
            "1000 a 0 granted feed 1000000",
            "1001 a 0 bean_starting feed 1000000",
            "1100 a 1 call_begun feed 1000000 1",
            "1150 a 1 call_ended feed 1000000",
            "2000 a 0 led feed 0 1000",
            "900 b 0 state feed 0 0 contending",
            "2001 a 0 revoked feed 1000000 0 STOPPED",
            "2010 a 0 bean_stopped feed 1000000",
            "2030 b 0 granted feed 2030000",
            "2031 b 0 bean_starting feed 2030000",
            "3000 b 0 led feed 0 2030",
            "3001 b 0 revoked feed 2030000 0 STOPPED",
            "3002 b 0 bean_stopped feed 2030000");

    /** The first instance loses the lock, and the second one leads at the end of the lease. */
    private static final List<String> LOSS = List.of(
            "1000 a 0 granted feed 1000000",
            "1001 a 0 bean_starting feed 1000000",
            "1500 a 0 led feed 0 1000",
            "2001 a 0 revoked feed 1000000 0 LOST",
            "2010 a 0 bean_stopped feed 1000000",
            "2030 b 0 granted feed 2030000",
            "3000 b 0 led feed 0 2030",
            "3001 b 0 revoked feed 2030000 0 STOPPED");

    private static List<String> violations(List<String> history) {
        String inNanoseconds = history.stream()
                .map(line -> line.replaceFirst(" ", "000000 "))
                .map(line -> line.replaceFirst("(led feed 0|stood_still \\* 0) (\\d+)", "$1 $2000000"))
                .collect(Collectors.joining("\n"));
        return new LeaderRules(History.of(inNanoseconds)).violations();
    }

    private static List<String> changed(List<String> history, String line, String... others) {
        assertThat(history).contains(line);
        return history.stream()
                .flatMap(each -> each.equals(line) ? Stream.of(others) : Stream.of(each))
                .toList();
    }

    @Test
    void shouldAcceptAHandOver() {
        assertThat(violations(HAND_OVER)).isEmpty();
        assertThat(violations(LOSS)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            2000 a 0 led feed 0 1000, 2050 a 0 led feed 0 1000, two leaders
            2000 a 0 led feed 0 1000, 2005 a 0 led feed 0 1000, a belief goes on
            1150 a 1 call_ended feed 1000000, 2060 a 1 call_ended feed 1000000, a call is
            2010 a 0 bean_stopped feed 1000000, 2040 a 0 bean_stopped feed 1000000, a bean is
            2010 a 0 bean_stopped feed 1000000, 2001 a 0 at_risk feed 1000000, a bean is never stopped
            2010 a 0 bean_stopped feed 1000000, 1500 a 0 bean_stopped feed 1000000, before the event
            2001 a 0 revoked feed 1000000 0 STOPPED, 2035 a 0 revoked feed 1000000 0 STOPPED, a listener of a revocation is
            2001 a 0 revoked feed 1000000 0 STOPPED, 2002 a 0 state feed 0 0 ending, a grant is never revoked
            2001 a 0 revoked feed 1000000 0 STOPPED, 2001 a 0 revoked feed 7 0 STOPPED, not that of the epoch
            2030 b 0 granted feed 2030000, 2030 b 0 granted feed 1000000, epochs out of order
            1001 a 0 bean_starting feed 1000000, 999 a 0 bean_starting feed 1000000, without leadership
            """)
    void shouldFindAViolation(String line, String other, String violation) {
        assertThat(violations(changed(HAND_OVER, line, other))).anyMatch(found -> found.contains(violation));
    }

    @Test
    void shouldBoundTheTimeWithoutALeaderAfterAnOrderlyEnd() {
        List<String> late =
                HAND_OVER.stream().map(line -> line.replace("203", "215")).toList();

        assertThat(violations(late)).singleElement().asString().contains("no leader in time after STOPPED: 140 ms");
    }

    @Test
    void shouldExcuseAPauseForAsLongAsItLasts() {
        List<String> paused = changed(
                changed(
                        LOSS,
                        "2001 a 0 revoked feed 1000000 0 LOST",
                        "2500 a 0 stood_still * 0 1500",
                        "2501 a 0 revoked feed 1000000 0 LOST"),
                "2010 a 0 bean_stopped feed 1000000",
                "2510 a 0 bean_stopped feed 1000000");

        assertThat(violations(paused)).isEmpty();
        assertThat(violations(
                        changed(paused, "2510 a 0 bean_stopped feed 1000000", "4000 a 0 bean_stopped feed 1000000")))
                .anyMatch(found -> found.contains("a bean is"));
        assertThat(violations(changed(
                        paused,
                        "2500 a 0 stood_still * 0 1500",
                        "2500 a 0 stood_still * 0 1500",
                        "2500 a 1 call_begun feed 1000000 1",
                        "2501 a 1 call_ended feed 1000000")))
                .anyMatch(found -> found.contains("two leaders"));
    }

    @Test
    void shouldExcuseALossOfTheKeysForAThirdOfTheLease() {
        List<String> late = changed(LOSS, "1500 a 0 led feed 0 1000", "2040 a 0 led feed 0 1000");

        assertThat(violations(late)).anyMatch(found -> found.contains("two leaders"));
        assertThat(violations(Stream.concat(
                                late.stream(),
                                Stream.of(
                                        "2020 nemesis 1 fault a 0 0 REDIS_EMPTIED",
                                        "2021 nemesis 1 healed a 0 0 REDIS_EMPTIED"))
                        .toList()))
                .noneMatch(found -> found.contains("two leaders"));
    }

    @Test
    void shouldBoundTheTimeWithoutALeaderAfterAKill() {
        List<String> killed = List.of(
                "1000 a 0 granted feed 1000000",
                "1500 a 0 led feed 0 1000",
                "1510 nemesis 0 killed a",
                "5400 b 0 granted feed 2030000",
                "6000 b 0 led feed 0 5400",
                "6001 b 0 revoked feed 2030000 0 STOPPED");

        assertThat(violations(killed)).isEmpty();
        assertThat(violations(changed(killed, "6000 b 0 led feed 0 5400", "6000 b 0 led feed 0 5600")))
                .anyMatch(found -> found.contains("no leader in time after a kill"));
    }
}
