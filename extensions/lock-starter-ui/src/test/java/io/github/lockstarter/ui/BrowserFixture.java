package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testsupport.Browser;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** The page of one instance in a browser. */
@RedisTest
@Timeout(180)
abstract class BrowserFixture {

    static final int WIDE = 1400;

    static final int NARROW = 390;

    static Browser browser;

    static Instance instance;

    static LockRegistry registry;

    @BeforeAll
    static void start(FaultProxy proxy) {
        browser = Browser.open();
        instance = Instance.start(
                "--spring.application.name=shop",
                "--spring.data.redis.host=" + proxy.host(),
                "--spring.data.redis.port=" + proxy.port(),
                "--distributed-lock.redis.command-timeout=1s",
                "--server.servlet.context-path=/app",
                "--management.endpoint.locks.access=unrestricted");
        registry = instance.bean(LockRegistry.class);
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

    @AfterEach
    void shouldHaveNoErrors() {
        assertThat(browser.errorsOfScripts()).isEmpty();
    }

    static void visit(String languages, int width, String scheme) {
        browser.languages(languages);
        browser.width(width);
        browser.colorScheme(scheme);
        browser.visit(instance.address() + "/app/locks");
        browser.evaluate("localStorage.clear()");
        browser.visit(instance.address() + "/app/locks");
        awaitLoaded();
    }

    static void awaitLoaded() {
        browser.awaitTrue("document.body.getAttribute('aria-busy') === 'false'");
    }

    static void shouldBeAccessible() {
        assertThat(browser.accessibilityViolations()).isEmpty();
        shouldFit();
    }

    static void shouldFit() {
        assertThat(browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as("horizontal scrolling")
                .isEqualTo(0L);
    }
}
