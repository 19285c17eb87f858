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
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;

/** A visitor in a real browser sees what happens to the locks of two instances in processes of their own. */
@RedisTest
class LivePageTest {

    private static final String SALE = "event:show";

    private static final int WIDE = 1400;

    private static final int NARROW = 390;

    private final RedisServer redis;

    LivePageTest(RedisServer redis) {
        this.redis = redis;
    }

    @Test
    void shouldShowWhatHappensToLocks() throws Exception {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Server database = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists")
                .start();
        String url = "jdbc:h2:tcp://127.0.0.1:%d/mem:live;DB_CLOSE_DELAY=-1".formatted(database.getPort());
        try (Browser browser = Browser.open();
                InstanceProcess first = InstanceProcess.start(redis, url)) {
            browser.width(WIDE);
            browser.visit(first.address() + "/?lang=en");
            browser.find(lane(first, "ok"), "running");
            browser.find("#start code", "--server.port=" + (first.port() + 1));

            try (InstanceProcess second = InstanceProcess.start(redis, url)) {
                browser.find(lane(second, "ok"));
                refuseALateWrite(browser, first, second);
                rememberTheStory(browser, first, second);
                takeByForce(browser, first, second);
                sellToCrowds(browser, first, second);
                shareLocks(browser, first, second);
                fitAndBeAccessible(browser, first);
                killTheOwner(browser, first, second);
                database.stop();
                browser.find("#database[data-state=silent]", "没有响应");
                browser.find(lane(second, "ok"));
                assertThat(browser.errorsOfScripts()).isEmpty();
            }
        } finally {
            database.stop();
        }
    }

    /** The six steps: the owner is paused, its lease ends, the other instance sells, and the late write is refused. */
    private static void refuseALateWrite(Browser browser, InstanceProcess owner, InstanceProcess other) {
        browser.find("#steps li:nth-child(2)[aria-current]");
        press(browser, owner, "slow");
        browser.find(row(owner, SALE, "held"), "lease ends in");
        press(browser, other, "buy");
        browser.find(row(other, SALE, "waits"), "waits for :" + owner.port());
        browser.find("#steps li:nth-child(4)[aria-current]");
        browser.find("#now", ":%d sells. :%d must wait.".formatted(owner.port(), other.port()));

        browser.visit(owner.address() + "/?lang=en");
        recordMoves(browser);
        // A slow start may look like a silence before.
        browser.find("#log li", ":%d ".formatted(other.port()));
        browser.find("#steps li:nth-child(4)[aria-current]");
        browser.find(row(other, SALE, "waits"));

        press(browser, owner, "pause");
        browser.find(lane(owner, "silent"));
        browser.find(row(owner, SALE, "risk"), "holds it in Redis");
        browser.screenshot("paused");
        browser.find(row(owner, SALE, "lost"), "does not know it yet");
        browser.find("#log li.bad", "lease of event:show has ended in Redis");
        browser.find("#database .state", "1 of 1000 seats sold");

        browser.find(lane(owner, "ok"));
        browser.find("#log li.bad", "the database refused a late write");
        long sold = token(browser, "#tokens li:not(.refused)");
        assertThat(token(browser, "#tokens li.refused")).isLessThan(sold);
        assertThat(browser.find("#tokens li.refused s").getText())
                .matches("…[\\d\\u202f]{13}")
                .isNotEqualTo(browser.find("#tokens li:not(.refused) span").getText());
        assertThat(browser.count("#steps li.done")).isEqualTo(6);
        browser.find(row(owner, SALE, "free"));
        browser.screenshot("refused");
        assertAccessible(browser);
    }

    /** Another language shows the same story, and a page that another instance serves shows the last minute. */
    private static void rememberTheStory(Browser browser, InstanceProcess first, InstanceProcess second) {
        assertNothingMoved(browser);
        browser.visit(second.address() + "/?lang=en");
        browser.find("#log li.bad", "the database refused a late write");
        assertThat(browser.find("#log").getText()).as("what happened").doesNotContain("died");
        browser.find(lane(first) + " .row[data-lock='" + SALE + "'] rect.lost");

        browser.visit(first.address() + "/?lang=zh-CN");
        browser.find("#log li.bad", "过期写入被数据库拒绝");
        browser.find("#tokens li.refused");
        assertThat(browser.find("#log").getText()).as("what happened").doesNotContain("已宕机");
        assertThat(browser.count("#steps li.done")).as("done steps").isEqualTo(6);

        browser.visit(first.address() + "/?lang=en");
        browser.find(lane(second, "ok"));
        browser.find("#log li.bad", "the database refused a late write");
        recordMoves(browser);
    }

    private static void takeByForce(Browser browser, InstanceProcess owner, InstanceProcess other) {
        press(browser, owner, "slow");
        browser.find(row(owner, SALE, "held"));
        press(browser, other, "force");
        browser.find(answer(other), "was taken from its owner");
        browser.find(row(owner, SALE, "lost"), "it was released by force");
    }

    private static void sellToCrowds(Browser browser, InstanceProcess first, InstanceProcess second) {
        press(browser, first, "crowd");
        press(browser, second, "crowd");
        browser.find(row(first, "payment", "shared"), "permit");
        browser.find(row(first, "payment", "shared"), "wait");
        browser.screenshot("crowds");
        browser.find(answer(first), "20 got a ticket");
        browser.find(answer(second), "20 got a ticket");
        browser.find("#database .state", "41 of 1000 seats sold");
    }

    private static void shareLocks(Browser browser, InstanceProcess first, InstanceProcess second) {
        press(browser, first, "visit");
        press(browser, first, "visit");
        browser.find(row(first, SALE, "shared"), "2 readers");
        press(browser, second, "visit");
        browser.find(row(second, SALE, "shared"), "1 reader");
        browser.screenshot("readers");
        browser.find(answer(second), "959 seats are left");
        assertNothingMoved(browser);
    }

    private static void fitAndBeAccessible(Browser browser, InstanceProcess first) {
        browser.visit(first.address() + "/?lang=zh-CN");
        browser.find(lane(first, "ok"), "运行中");
        browser.find("#now", "没有实例在卖票");
        assertThat(browser.evaluate("getComputedStyle(document.querySelector('#steps li')).borderStyle"))
                .as("border of a step, which is no button")
                .isEqualTo("none");
        for (String scheme : new String[] {"dark", "light"}) {
            browser.colorScheme(scheme);
            for (int width : new int[] {NARROW, WIDE}) {
                browser.width(width);
                browser.screenshot("zh-" + scheme + "-" + width);
                assertThat((Long) browser.evaluate("document.documentElement.scrollWidth"))
                        .isLessThanOrEqualTo(width);
                assertAccessible(browser);
            }
        }
    }

    /** Redis keeps the lock of a dead owner until the lease ends, and the page says so. */
    private static void killTheOwner(Browser browser, InstanceProcess victim, InstanceProcess other) {
        press(browser, victim, "slow");
        browser.find(row(victim, SALE, "held"));
        press(browser, victim, "kill");

        browser.find(lane(victim, "gone"), "已宕机");
        browser.find(row(victim, SALE, "left"), "锁在 Redis 中");
        browser.find("#log li.bad", "已宕机");
        browser.screenshot("killed");
        browser.visit(other.address() + "/?lang=zh-CN"); // the state of a dead owner is known after a reload as well
        browser.find(row(victim, SALE, "left"), "锁在 Redis 中");
        press(browser, other, "buy");
        browser.find("#log li.bad", "event:show 在 Redis 中已过期");
        browser.find(row(victim, SALE, "free"));
        browser.find(answer(other), "42");
    }

    private static void assertAccessible(Browser browser) {
        assertThat(browser.accessibilityViolations()).isEmpty();
    }

    private static long token(Browser browser, String selector) {
        return Long.parseLong(browser.find(selector).getDomAttribute("title"));
    }
}
