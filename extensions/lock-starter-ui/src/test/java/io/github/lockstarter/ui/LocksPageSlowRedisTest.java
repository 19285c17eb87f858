package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the page shows while Redis answers slowly or not at all. */
class LocksPageSlowRedisTest extends BrowserFixture {

    @Test
    void shouldNameTheLocksThatWereNotReadInTime(RedisCli redis, FaultProxy proxy) {
        PageTests.createLocks(redis, 1200);
        visit("en", WIDE, "light");
        awaitInTime();
        proxy.delay(Duration.ofMillis(150), Duration.ofMillis(150));

        browser.find("#more").click();

        browser.find("#late", "Redis answered too slowly: the data of ");
        browser.find("tr.lock .chip.warn", "not read in time");
        shouldBeAccessible();
        browser.screenshot("late");
        proxy.heal();
        awaitInTime();
    }

    /** Searches until all locks are read in time, because a busy machine may be as slow as the proxy. */
    private void awaitInTime() {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            browser.find("#search button").click();
            awaitLoaded();
            return browser.evaluate("document.getElementById('late').hidden").equals(true);
        });
    }

    @Test
    void shouldShowAnErrorInPlaceOfTheTable(FaultProxy proxy) throws Exception {
        registry.acquire(LockRequest.of("dark").withLease(Duration.ofMinutes(5)));
        visit("en", WIDE, "light");
        browser.find("tr.lock", "dark");
        proxy.blackHole();

        browser.find("#search button").click();

        browser.find("#problem", "The locks cannot be shown.");
        assertThat(browser.evaluate("document.querySelectorAll('tr.lock').length"))
                .isEqualTo(0L);
        assertThat(browser.text()).doesNotContain("No lock is held");
        shouldBeAccessible();
        browser.screenshot("problem");
        proxy.heal();
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            browser.find("#search button").click();
            awaitLoaded();
            assertThat(browser.evaluate("document.querySelectorAll('tr.lock').length"))
                    .isEqualTo(1L);
        });
        assertThat(browser.evaluate("document.getElementById('problem').hidden"))
                .isEqualTo(true);
    }
}
