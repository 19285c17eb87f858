package io.github.lockstarter.sample.live;

import static io.github.lockstarter.sample.live.Lanes.answer;
import static io.github.lockstarter.sample.live.Lanes.assertNothingMoved;
import static io.github.lockstarter.sample.live.Lanes.lane;
import static io.github.lockstarter.sample.live.Lanes.press;
import static io.github.lockstarter.sample.live.Lanes.recordMoves;
import static io.github.lockstarter.sample.live.Lanes.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.Browser;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** A visitor in a real browser freezes Redis beside an instance in a process of its own. */
@RedisTest
class LivePageOutageTest {

    private static final String REPORT = "report:show";

    private final RedisServer redis;

    LivePageOutageTest(RedisServer redis) {
        this.redis = redis;
    }

    @Test
    void shouldShowWhatAnOutageDoesToLocks() throws Exception {
        try (Browser browser = Browser.open();
                InstanceProcess instance =
                        InstanceProcess.start(redis, "jdbc:h2:mem:outage;DB_CLOSE_DELAY=-1", Duration.ofSeconds(4))) {
            browser.width(1400);
            browser.visit(instance.address() + "/?lang=en");
            browser.find(lane(instance, "ok"), "running");
            recordMoves(browser);
            loseALockWhileRedisIsFrozen(browser, instance);
            refuseBuyersWhileRedisIsFrozen(browser, instance);
            assertThat(browser.errorsOfScripts()).isEmpty();
        }
    }

    private static void loseALockWhileRedisIsFrozen(Browser browser, InstanceProcess owner) {
        press(browser, owner, "report");
        browser.find(row(owner, REPORT, "held"));
        browser.find("#redis button").sendKeys(Keys.ENTER);

        browser.find("#redis[data-state=silent]", "Has not answered");
        browser.find("#now", "Redis does not answer");
        browser.find(row(owner, REPORT, "risk"), "not renewed");
        browser.screenshot("frozen");
        browser.find("#log li.bad", "lost report:show: the lease has ended");
        browser.find("#redis[data-state=ok]");
        browser.find("#log li", "Redis answers again");
        browser.find(row(owner, REPORT, "free"));
        assertNothingMoved(browser);
    }

    /** The wait of a buyer is 4 s, so that Redis must be frozen for longer. */
    private static void refuseBuyersWhileRedisIsFrozen(Browser browser, InstanceProcess instance) {
        browser.evaluate("fetch('/live/freeze?seconds=8', { method: 'POST', headers: { 'X-Live-Page': 'yes' } })");
        browser.find("#redis[data-state=silent]");
        press(browser, instance, "crowd");
        browser.find(answer(instance), "20 were asked to try again");
        browser.find(
                "#log li.bad",
                ":%d a caller was refused: Redis did not answer for payment (20 ×)".formatted(instance.port()));
        browser.find("#redis[data-state=ok]");
    }
}
