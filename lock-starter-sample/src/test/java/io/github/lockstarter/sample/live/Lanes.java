package io.github.lockstarter.sample.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.Browser;
import java.util.List;
import org.openqa.selenium.Keys;

/** The lanes of the live page, one for each instance. */
final class Lanes {

    /** Notes the buttons that have moved since the begin. */
    private static final String RECORDER = """
            (() => {
              const places = () => [...document.querySelectorAll('.lane button')].map(b => b.getBoundingClientRect().top + scrollY);
              const before = places();
              window.moved = [];
              setInterval(() => places().forEach((top, i) => top !== before[i] && moved.push(i + ': ' + (top - before[i]))), 50);
            })()""";

    private Lanes() {}

    static void recordMoves(Browser browser) {
        browser.evaluate(RECORDER);
    }

    static void assertNothingMoved(Browser browser) {
        assertThat((List<?>) browser.evaluate("moved")).as("buttons that moved").isEmpty();
    }

    /** By the keyboard, as a visitor without a mouse does. */
    static void press(Browser browser, InstanceProcess instance, String action) {
        browser.find(lane(instance) + " button[data-action=" + action + "]").sendKeys(Keys.ENTER);
    }

    static String lane(InstanceProcess instance) {
        return ".lane[data-port='" + instance.port() + "']";
    }

    static String lane(InstanceProcess instance, String state) {
        return lane(instance) + "[data-state=" + state + "]";
    }

    static String row(InstanceProcess instance, String lock, String state) {
        return lane(instance) + " .row[data-lock='" + lock + "'][data-state=" + state + "] .state";
    }

    static String answer(InstanceProcess instance) {
        return lane(instance) + " .answer";
    }
}
