package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.Browser;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@RedisTest
class BrowserTest {

    private static Browser browser;

    private static Instance instance;

    @BeforeAll
    static void start(RedisServer redis) {
        browser = Browser.open();
        instance = Instance.start(redis, "--management.endpoint.locks.access=unrestricted", "--spring.application.name=shop");
    }

    @AfterAll
    static void stop() {
        if (instance != null) {
            instance.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void shouldLookGood() throws Exception {
        LockRegistry registry = instance.bean(LockRegistry.class);
        for (int i = 0; i < 12; i++) {
            registry.acquire(LockRequest.of("order:" + 1040 * i));
        }
        registry.acquire(LockRequest.of("prices").withMode(LockMode.READ));
        registry.acquire(LockRequest.of("export").withPermits(2, 5));
        registry.acquire(LockRequest.of("export").withPermits(3, 5));
        registry.acquireAsync(LockRequest.of("order:0").withWaitTime(Duration.ofMinutes(1)));
        registry.acquire(LockRequest.of("<script>alert(1)</script>\"'\u202Eabc\nx" + "y".repeat(400)));
        for (int width : new int[] {1400, 390}) {
            browser.width(width);
            browser.visit(instance.address() + "/locks");
            browser.find("#count", "locks");
            browser.screenshot("light-" + width);
            browser.find("tr.lock .toggle", "export").click();
            browser.find("tr.lock .toggle", "order:0").click();
            browser.screenshot("details-" + width);
            browser.colorScheme("dark");
            browser.find("tr.lock button.release").click();
            browser.screenshot("dark-" + width);
            browser.colorScheme("light");
        }
        assertThat(browser.errorsOfScripts()).isEmpty();
    }
}
