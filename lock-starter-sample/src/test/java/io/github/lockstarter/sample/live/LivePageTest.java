package io.github.lockstarter.sample.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** A visitor in a real browser, with two instances in processes of their own. */
@RedisTest
class LivePageTest {

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
            browser.width(1280);
            browser.visit(first.address());
            browser.find(card(first, ".status"), "answers");
            browser.screenshot("1-one-instance");

            try (InstanceProcess second = InstanceProcess.start(redis, url)) {
                browser.find(card(second, ".status"), "answers");
                openEvent(browser, "gala", 500);
                handOver(browser, first, second);
                pause(browser, first, second);
                fitInANarrowWindow(browser);
                showADeadRedis(browser, second);
                showAKilledInstance(browser, first, second);
                database.stop();
                browser.find("#no-database", "The database does not answer");
                browser.find(card(second, ".status"), "answers");
                browser.screenshot("13-no-database");
                assertThat(browser.errorsOfScripts()).isEmpty();
            }
        } finally {
            database.stop();
        }
    }

    private static void openEvent(Browser browser, String name, int seats) {
        press(browser.find(card("", ".buttons button[data-action=buy]")));
        browser.find(card("", ".message"), "Open an event first");
        fill(browser.find("#event-name"), name);
        fill(browser.find("#event-seats"), Integer.toString(seats));
        press(browser.find("#open-event button"));
        browser.find("#event-message", "Event " + name + " is open");
        browser.find("#sold", name + ": 0 of " + seats + " seats sold");
        browser.screenshot("2-two-instances");
    }

    private static void handOver(Browser browser, InstanceProcess first, InstanceProcess second) {
        press(browser.find(button(first, "crowd")));
        press(browser.find(button(second, "crowd")));

        browser.find("#news li[data-type='handed over']", "from another instance");
        browser.find("#news li[data-type=crowd]", "50 got a ticket");
        browser.find("#sold", "100 of 500 seats sold");
        browser.screenshot("3-hand-over");
    }

    /** The owner is paused, loses its lock, and is late with its write. */
    private static void pause(Browser browser, InstanceProcess owner, InstanceProcess other) {
        press(browser.find(button(owner, "slow")));
        browser.find(card(owner, ".locks"), "event:gala");
        press(browser.find(button(other, "buy")));
        browser.find(card(other, ".waiting"), "held by instance " + owner.port());
        browser.find("#lines", "instance " + other.port());
        browser.screenshot("4-waiting");

        press(browser.find(button(owner, "pause")));
        browser.find(card(owner, ".status"), "no news");
        browser.find(card(owner, ".locks li[data-state=OVER]"), "run out");
        browser.screenshot("5-paused");
        browser.find(card(other, ".message"), "Sold ticket 101");
        String successor = tokenOf(browser.find("#tickets tr", "101"));

        WebElement lost = browser.find(card(owner, ".locks li[data-state=LOST]"), "expired");
        browser.find(card(owner, ".message"), "later buyer");
        WebElement refused = browser.find("#tickets tr.refused", "refused");
        assertThat(tokenOf(refused))
                .isLessThan(successor)
                .isEqualTo(lost.findElement(By.className("token")).getText().replaceAll("\\D", ""));
        browser.find("#news li[data-type='write refused']", successor);
        browser.screenshot("6-lost-and-refused");
    }

    private static void fitInANarrowWindow(Browser browser) {
        browser.colorScheme("dark");
        browser.screenshot("7-dark");
        browser.width(400);
        browser.screenshot("8-narrow-dark");
        assertThat((Long) browser.evaluate("document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(400);
        browser.colorScheme("light");
        browser.screenshot("9-narrow");
        browser.width(1280);
    }

    private void showADeadRedis(Browser browser, InstanceProcess owner) {
        press(browser.find(button(owner, "report")));
        browser.find(card(owner, ".locks li[data-state=HELD]"), "report:gala");

        redis.pause();
        try {
            browser.find(card(owner, ".locks li[data-state=AT_RISK]"), "report:gala");
            browser.screenshot("10-at-risk");
            browser.find(card(owner, ".status"), "cannot lock");
            browser.find(card(owner, ".locks li[data-state=LOST]"), "report:gala");
            browser.screenshot("11-no-redis");
        } finally {
            redis.resume();
        }
        browser.find(card(owner, ".status"), "answers");
    }

    private static void showAKilledInstance(Browser browser, InstanceProcess victim, InstanceProcess other) {
        press(browser.find(button(victim, "kill")));

        browser.find(card(victim, ".status"), "gone");
        browser.find("#command", "--server.port=" + victim.port());
        press(browser.find(button(other, "buy")));
        browser.find(card(other, ".message"), "Sold ticket 102");
        browser.screenshot("12-killed");
    }

    private static String tokenOf(WebElement row) {
        return row.findElements(By.tagName("td")).get(1).getText();
    }

    /** By the keyboard, as one who cannot use a mouse does. */
    private static void press(WebElement button) {
        button.sendKeys(Keys.ENTER);
    }

    private static void fill(WebElement field, String text) {
        field.clear();
        field.sendKeys(text);
    }

    private static String card(InstanceProcess instance, String selector) {
        return card("[data-key='" + instance.port() + "']", selector);
    }

    private static String card(String condition, String selector) {
        return "#instances .card" + condition + " " + selector;
    }

    private static String button(InstanceProcess instance, String action) {
        return card(instance, "button[data-action=" + action + "]");
    }
}
