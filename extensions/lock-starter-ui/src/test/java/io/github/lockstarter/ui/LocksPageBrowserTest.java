package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.DamagedLock;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page in a browser. */
class LocksPageBrowserTest extends BrowserFixture {

    /** Makes locks of each mode, with holders and waiters of several instances. */
    private static void createSample(RedisCli redis) throws Exception {
        redis.command("EVAL", """
                local now = redis.call('TIME')
                local micros = now[1] * 1000000 + now[2]
                local function instance(id, application, host, pid)
                  redis.call('HSET', 'lock:instance:' .. id, 'application', application, 'host', host, 'pid', pid,
                    'started', string.format('%.0f', micros / 1000 - 7200000))
                end
                instance('Zx8cV6bN4mQ', 'billing', 'host-9', 815)
                instance('Ab3dE5gH1jK', 'shipping', 'host-7', 4711)
                local function lock(name, instance, age, lease, waiters)
                  local key = 'lock:{' .. name .. '}'
                  redis.call('HSET', key, 'o', instance .. '-0000000000', 'f', string.format('%.0f', micros - age * 1000000))
                  for i = 1, waiters do
                    local id = (i % 2 == 0 and 'Zx8cV6bN4mQ' or 'Ab3dE5gH1jK') .. '-000000000' .. i
                    redis.call('HSET', key, 'e:' .. i, id,
                      'w:' .. id, i .. ':' .. string.format('%.0f', micros / 1000 + 600000) .. ':2000:inbox')
                  end
                  if waiters > 0 then
                    redis.call('HSET', key, 'q',
                      '1:' .. waiters .. ':' .. waiters .. ':' .. string.format('%.0f', micros / 1000 + 600000))
                  end
                  redis.call('PEXPIRE', key, lease)
                end
                lock('invoice:2026-11', 'Zx8cV6bN4mQ', 754, 21400, 3)
                lock('export:customers', 'Zx8cV6bN4mQ', 9432, 28900, 1)
                lock('shipment:81734', 'Ab3dE5gH1jK', 4, 26200, 0)
                lock('shipment:81739', 'Ab3dE5gH1jK', 2, 28000, 0)
                """, "0");
        Lease unused = registry.acquire(LockRequest.of("order:4711"));
        registry.acquire(LockRequest.of("report:daily").withLease(Duration.ofMinutes(5)));
        registry.acquire(LockRequest.of("prices").withMode(LockMode.READ));
        registry.acquire(LockRequest.of("thumbnails").withPermits(2, 5));
        registry.acquire(LockRequest.of("thumbnails").withPermits(3, 5));
        registry.acquireAsync(LockRequest.of("order:4711").withWaitTime(Duration.ofMinutes(2)));
    }

    @Test
    void shouldShowTheLocksInBothLanguagesAndWidthsAndSchemes(RedisCli redis) throws Exception {
        createSample(redis);

        visit("en-GB,en", WIDE, "light");
        browser.find("#count", "8 locks");
        browser.find("tr.lock .owner", "billing@host-9 (pid 815)");
        browser.find("tr.lock .owner", "5 permits, 2 holders: shop@");
        browser.find("tr.lock .owner", "1 reader: shop@");
        browser.find("th.c-lease button").click();
        browser.find("th.c-lease[aria-sort=ascending]");
        browser.find("th.c-held button").click();
        assertThat(browser.find("tr.lock").getText()).startsWith("export:customers");
        browser.find("tr.lock .toggle", "invoice:2026-11").click();
        assertThat(browser.find("tr.details").getText()).contains("Zx8cV6bN4mQ", "shipping@host-7");
        shouldBeAccessible();
        // As high as the page, for the manual.
        browser.size(WIDE, 730);
        browser.screenshot("locks-page");

        visit("zh-CN,zh,en", WIDE, "dark");
        browser.find("#count", "共 8 把锁");
        assertThat(browser.evaluate("document.documentElement.lang")).isEqualTo("zh-CN");
        assertThat(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
                .isEqualTo("rgb(20, 24, 29)");
        browser.find("tr.lock .toggle", "thumbnails").click();
        shouldBeAccessible();
        browser.screenshot("zh-dark-wide");

        visit("zh-CN,zh,en", NARROW, "dark");
        browser.find("tr.lock .toggle", "invoice").click();
        shouldBeAccessible();
        browser.screenshot("zh-dark-narrow");

        visit("de,fr", NARROW, "light");
        browser.find("#count", "8 locks");
        browser.find("tr.lock .toggle", "order:4711").click();
        shouldFit();
        browser.screenshot("en-light-narrow");

        browser.find("#language option[value=zh]").click();
        browser.find("#count", "共 8 把锁");
        browser.visit(instance.address() + "/app/locks");
        browser.find("#count", "共 8 把锁");
    }

    @Test
    void shouldGiveAllCardsOfANarrowPageTheSameForm() throws Exception {
        for (String name : List.of("card:4711", "card:2026-11", "card:customers")) {
            registry.acquire(LockRequest.of(name));
        }
        visit("en", NARROW, "light");
        browser.find("#count", "3 locks");

        shouldBeAlike("tr.lock .toggle");
        shouldBeAlike("tr.lock .ask");
        shouldBeAlike("tr.lock .release");

        browser.evaluate("document.querySelectorAll('tr.lock .toggle').forEach(toggle => toggle.click())");
        shouldBeAlike("tr.details dl");
    }

    private static void shouldBeAlike(String part) {
        List<?> places = (List<?>) browser.evaluate(
                "[...document.querySelectorAll(arguments[0])].map(part => part.getBoundingClientRect())"
                        + ".map(place => place.left + ' to ' + place.right)",
                part);
        assertThat(places).as("left and right edges of %s", part).hasSize(3);
        assertThat(Set.copyOf(places)).as("left and right edges of %s", part).hasSize(1);
    }

    @Test
    void shouldShowTheFirstOfManyLocks(RedisCli redis) {
        PageTests.createLocks(redis, 10_000);

        visit("en", WIDE, "light");

        browser.find("#count", "there may be more");
        assertThat((long) browser.evaluate("document.querySelectorAll('tr.lock').length"))
                .isBetween(100L, 300L);
        browser.find("#more").click();
        awaitLoaded();
        assertThat((long) browser.evaluate("document.querySelectorAll('tr.lock').length"))
                .isEqualTo(500L);
        browser.find("#count", "The first 500 of ");
        browser.find("#count", "locks are shown, and there may be more. Enter");
        browser.evaluate("document.querySelector('th.c-name button').click()");
        assertThat(browser.count("tr.lock")).as("sorted").isEqualTo(500);
        browser.find("#text").sendKeys("many:9999");
        browser.awaitTrue("document.getElementById('count').textContent === '1 lock'");
        assertThat(browser.find("tr.lock").getText()).contains("many:9999");
    }

    @Test
    @Tag("full")
    void shouldShowEachOfManyLocksOnce(RedisCli redis) {
        PageTests.createLocks(redis, 10_000);
        visit("en", WIDE, "light");
        while (Boolean.FALSE.equals(browser.evaluate("document.getElementById('more').hidden"))) {
            // By a script, because a click scrolls to the end of a long page.
            browser.evaluate("document.getElementById('more').click()");
            awaitLoaded();
        }
        browser.find("#count", "The first 500 of 10000 locks are shown.");
        assertThat(browser.evaluate("new Set([...document.querySelectorAll('tr.lock')].map(row => row.lockName)).size"))
                .isEqualTo(500L);
        browser.find("#search button").click();
        awaitLoaded();
        browser.find("#count", "The first 500 of 10000 locks are shown.");
        Number millis = (Number) browser.evaluate("(() => { const start = performance.now();"
                + " document.querySelector('th.c-name button').click(); document.body.getBoundingClientRect();"
                + " return performance.now() - start; })()");
        System.out.println("Sorting 10,000 locks: " + millis.longValue() + " ms");
        assertThat(millis.longValue()).isLessThan(5000);
        assertThat(browser.find("tr.lock").getText()).contains("many:1");
    }

    @Test
    void shouldShowAndReleaseLocksOfAnyName() throws Exception {
        for (String name : PageTests.hostileNames()) {
            registry.acquire(LockRequest.of(name));
        }
        visit("en", NARROW, "light");
        int left = PageTests.hostileNames().size();
        browser.find("#count", left + " locks");
        shouldBeAccessible();
        browser.screenshot("hostile-narrow");
        browser.width(WIDE);
        shouldFit();
        browser.screenshot("hostile-wide");
        // Another test releases the others.
        for (String name : PageTests.hostileNames().subList(0, 5)) {
            String row = "[...document.querySelectorAll('tr.lock')].find(row => row.lockName === arguments[0])";
            browser.evaluate(row + ".querySelector('.release').click()", name);
            assertThat(browser.find("#confirm-owner").getText()).contains("shop@");
            browser.find("#release").click();
            browser.find("#outcome", "Released: ");
            left--;
            browser.find("#count", left + " locks");
            assertThat(browser.evaluate("!" + row, name)).as(name).isEqualTo(true);
        }
        assertThat(browser.evaluate("document.querySelectorAll('main img, main script').length"))
                .isEqualTo(0L);
    }

    /**
     * Ranges of code points that are ignored by default or are spaces; of the tags and variation selectors above
     * U+E0000 the ends.
     */
    private static final int[][] INVISIBLE = {
        {0x00A0, 0x00A0},
        {0x00AD, 0x00AD},
        {0x034F, 0x034F},
        {0x061C, 0x061C},
        {0x115F, 0x1160},
        {0x1680, 0x1680},
        {0x17B4, 0x17B5},
        {0x180B, 0x180F},
        {0x2000, 0x200F},
        {0x2028, 0x202F},
        {0x205F, 0x206F},
        {0x2800, 0x2800},
        {0x3000, 0x3000},
        {0x3164, 0x3164},
        {0xE000, 0xE000},
        {0xFE00, 0xFE0F},
        {0xFEFF, 0xFEFF},
        {0xFFA0, 0xFFA0},
        {0xFFF0, 0xFFF8},
        {0x1BCA0, 0x1BCA3},
        {0x1D173, 0x1D17A},
        {0xE0000, 0xE0001},
        {0xE0100, 0xE0100},
        {0xE0FFF, 0xE0FFF}
    };

    @Test
    void shouldShowCharactersThatAreNotVisibleByTheirCodes() throws Exception {
        Set<String> expected = new TreeSet<>();
        for (int[] range : INVISIBLE) {
            for (int each = range[0]; each <= range[1]; each++) {
                registry.acquire(LockRequest.of("a" + Character.toString(each) + "b"));
                expected.add("aU+%04Xb".formatted(each));
            }
        }
        for (String name : List.of(" a", "a ", "a  b", "a b", "a?", "a\uD800", "a\uDC00")) {
            registry.acquire(LockRequest.of(name));
        }
        expected.addAll(List.of("U+0020a", "aU+0020", "aU+0020U+0020b", "a b", "a?", "aU+D800", "aU+DC00"));

        visit("en", WIDE, "light");
        while (Boolean.FALSE.equals(browser.evaluate("document.getElementById('more').hidden"))) {
            browser.evaluate("document.getElementById('more').click()");
            awaitLoaded();
        }

        assertThat((List<?>) browser.evaluate(
                        "[...document.querySelectorAll('tr.lock .name')].map(name => name.textContent)"))
                .map(String::valueOf)
                .containsExactlyInAnyOrderElementsOf(expected);
        browser.evaluate("[...document.querySelectorAll('tr.lock')].find(row => row.lockName === 'a\\ud800')"
                + ".querySelector('.release').click()");
        assertThat(browser.find("#confirm-name").getText()).isEqualTo("aU+D800");
        browser.find("#release").click();
        browser.find("#outcome", "Released: aU+D800");
        assertThat(registry.getLock("a\uD800").isLocked()).isFalse();
        assertThat(registry.getLock("a?").isLocked()).isTrue();
    }

    @Test
    void shouldSpellANameThatLooksLikeAnother() throws Exception {
        registry.acquire(LockRequest.of("\u0440aper"));
        visit("en", WIDE, "light");
        browser.find("tr.lock .release").click();
        assertThat(browser.find("#confirm-name").getText()).isEqualTo("\u0440aper");
        assertThat(browser.find("#confirm-codes").getText()).isEqualTo("Code points: U+0440aper");
        shouldBeAccessible();
        browser.screenshot("confirm-codes");
        browser.find("#release").click();
        browser.find("#outcome", "Released: ");

        registry.acquire(LockRequest.of("paper"));
        browser.find("#search button").click();
        browser.find("tr.lock .release").click();
        assertThat(browser.find("#confirm-name").getText()).isEqualTo("paper");
        assertThat(browser.evaluate("document.getElementById('confirm-codes').hidden"))
                .isEqualTo(true);
    }

    @Test
    void shouldShowAllLocksBesideDamagedOnes(RedisCli redis) {
        redis.command("HSET", "lock:{right}", "o", "Dm5aG6eD7lK-0000000000", "f", "1795758698000000");
        redis.command("HSET", "lock:{token}", "o", "Dm5aG6eD7lK-0000000000", "f", "9000000000000000000");
        redis.command("HSET", "lock:{holder}", "o", "__proto__", "f", "1");
        redis.command("HSET", "lock:{permits}", "o", "~s", "f", "7", "s", "3:3:1:x");
        redis.command("HSET", "lock:{permits}", "h:x.sY.1", "9999999999999:9000000000000000000:1");
        redis.command("HSET", "lock:instance:Dm5aG6eD7lK", "application", "x", "started", "9000000000000000000");
        redis.command("SET", "lock:{foreign}", "text");
        long seed = System.nanoTime();
        System.out.println("Seed of damaged locks: " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            redis.command(DamagedLock.random("lock:{damaged:" + i + '}', random).toArray(String[]::new));
        }

        visit("en", WIDE, "light");

        for (String name : List.of("right", "token", "holder", "permits", "foreign")) {
            browser.find("tr.lock .name", name);
        }
        browser.evaluate("document.querySelectorAll('tr.lock .toggle').forEach(toggle => toggle.click())");
        assertThat(browser.count("tr.details"))
                .isEqualTo(browser.count("tr.lock"))
                .isGreaterThan(5);
        assertThat(browser.text()).doesNotContain("Invalid Date", "NaN", "undefined");
        browser.screenshot("damaged");
    }

    /** The description has expired, or the application has no name. */
    @Test
    void shouldShowTheIdOfAnOwnerWithoutAnApplication(RedisCli redis) {
        redis.command("HSET", "lock:{nameless}", "o", "Nn4mE2lE5sS-0000000000", "f", "1795758698000000");
        visit("en", WIDE, "light");
        assertThat(browser.find("tr.lock .owner").getText())
                .as("owner without a description")
                .isEqualTo("Nn4mE2lE5sS");
        browser.evaluate(
                "(() => { const real = window.fetch; window.fetch = async (...request) => {"
                        + " const data = await (await real(...request)).json();"
                        + " data.instances = { Nn4mE2lE5sS: { application: null, host: 'host-3', pid: 77, startedAt: null } };"
                        + " return new Response(JSON.stringify(data), { headers: { 'Content-Type': 'application/json' } }); }; })()");

        browser.find("#search button").click();

        awaitLoaded();
        assertThat(browser.find("tr.lock .owner").getText())
                .as("owner whose description has no application")
                .isEqualTo("Nn4mE2lE5sS");
    }

    @Test
    void shouldShowARowForDataThatThePageDoesNotKnow() throws Exception {
        registry.acquire(LockRequest.of("right"));
        visit("en", WIDE, "light");
        browser.evaluate(
                "(() => { const real = window.fetch; window.fetch = async (...request) => {"
                        + " const data = await (await real(...request)).json();"
                        + " const bad = lock => ({ ...data.locks[0], name: 'bad' + data.locks.length, ...lock });"
                        + " data.locks.push(bad({ since: 9e15, waiting: {}, holder: 7 }));"
                        + " data.locks.push(bad({ mode: 'READ', remaining: Symbol.iterator.description, held: 5 }));"
                        + " data.locks.push(bad({ line: 'text', holders: [null], since: 'x' }));"
                        + " return new Response(JSON.stringify(data), { headers: { 'Content-Type': 'application/json' } }); }; })()");

        browser.find("#search button").click();

        browser.find("#count", "4 locks");
        assertThat(browser.count("tr.lock")).isEqualTo(4);
        browser.evaluate("document.querySelectorAll('tr.lock .toggle').forEach(toggle => toggle.click())");
        browser.find("tr.details", "cannot be shown");
        browser.find("tr.lock .name", "right");
    }

    @Test
    void shouldReleaseByKeyboardAfterAConfirmation() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("stuck"));
        visit("en", WIDE, "light");
        browser.find("tr.lock .release");
        tabTo("tr.lock .toggle");
        browser.press(Keys.ENTER);
        browser.find("tr.details", "Fencing token");
        tabTo("tr.lock .release");
        browser.press(Keys.ENTER);
        browser.find("#confirm[open]", "stuck");
        shouldBeAccessible();
        assertThat(browser.focused().getAttribute("id")).isEqualTo("cancel");
        browser.screenshot("confirm");
        browser.press(Keys.ESCAPE);
        browser.awaitTrue("!document.getElementById('confirm').open");
        assertThat(lease.isHeld()).isTrue();
        assertThat(browser.focused().getAttribute("class")).isEqualTo("release");

        browser.press(Keys.ENTER);
        browser.find("#confirm[open]", "stuck");
        browser.press(Keys.TAB);
        assertThat(browser.focused().getAttribute("id")).isEqualTo("release");
        browser.press(Keys.ENTER);

        browser.find("#outcome", "Released: stuck");
        browser.find("#count", "No lock is held.");
        assertThat(lease.release()).as("still ours").isFalse();
        browser.awaitTrue("document.activeElement.id === 'outcome'");
    }

    @Test
    void shouldAskOwnersByKeyboardAndMarkThem(RedisCli redis) throws Exception {
        Lease own = registry.acquire(LockRequest.of("job:own"));
        redis.command("HSET", "lock:{job:theirs}", "o", "Zx8cV6bN4mQ-0000000000", "f", "1795758698000000");
        redis.command("PEXPIRE", "lock:{job:theirs}", "600000");
        LockRequest permit = LockRequest.of("render").withPermits(1, 2);
        List<Lease> permits = List.of(registry.acquire(permit), registry.acquire(permit));
        visit("en", WIDE, "light");
        browser.find("tr.lock .toggle", "render");
        browser.find("th.c-name button").click();

        tabTo("tr.lock .ask");
        browser.press(Keys.ENTER);
        browser.find("#outcome", "Asked to release: job:own");
        awaitLoaded();
        assertThat(own.isReleaseRequested()).isTrue();
        assertThat(own.isHeld()).isTrue();
        assertThat(browser.focused().getAttribute("aria-label")).isEqualTo("Ask to release: job:own");
        assertThat(owner("job:own")).contains("this instance", "asked");
        assertThat(owner("job:theirs")).doesNotContain("asked");

        ask("job:theirs");
        browser.find("#outcome", "Asked to release: job:theirs");
        assertThat(owner("job:theirs")).contains("asked");
        browser.find("tr.lock .toggle", "render").click();
        tabTo("tr.details li:nth-child(2) .ask");
        browser.press(Keys.ENTER);
        browser.find("tr.details li:nth-child(2) .chip", "asked");
        awaitLoaded();
        assertThat(permits).extracting(Lease::isReleaseRequested).containsExactly(false, true);
        assertThat(owner("render")).contains("1 of 2 asked");
        assertThat(browser.evaluate("document.activeElement.matches('tr.details li:nth-child(2) .ask')"))
                .isEqualTo(true);
        shouldBeAccessible();
        browser.screenshot("asked-wide");
        browser.width(1000);
        shouldFit();
        browser.width(NARROW);
        shouldBeAccessible();
        browser.screenshot("asked-narrow");

        redis.command("HSET", "lock:{job:theirs}", "o", "Zx8cV6bN4mQ-0000000001", "f", "1795758698000001");
        browser.find("#search button").click();
        awaitLoaded();
        assertThat(owner("job:theirs")).as("the next owner").doesNotContain("asked");
        assertThat(owner("job:own")).contains("asked");

        browser.colorScheme("dark");
        browser.find("#language option[value=zh]").click();
        assertThat(owner("job:own")).contains("已请求释放");
        assertThat(owner("render")).contains("已请求 1/2");
        shouldBeAccessible();
        browser.screenshot("asked-zh-dark-narrow");
    }

    private static String owner(String name) {
        return String.valueOf(browser.evaluate(row(name) + ".querySelector('.owner').textContent"));
    }

    private static void ask(String name) {
        browser.evaluate(row(name) + ".querySelector('.ask').click()");
        browser.awaitTrue("!document.getElementById('outcome').hidden && document.getElementById('outcome').textContent"
                + ".includes('" + name + "')");
        awaitLoaded();
    }

    private static String row(String name) {
        return "[...document.querySelectorAll('tr.lock')].find(row => row.lockName === '" + name + "')";
    }

    @Test
    void shouldSayWhyAnOwnerWasNotAsked(RedisServer redis) throws Exception {
        Lease lease = registry.acquire(LockRequest.of("job"));
        try (Instance polling = Instance.polling(redis)) {
            browser.languages("en");
            browser.width(WIDE);
            browser.visit(polling.address() + "/locks/");
            browser.find("tr.lock .ask").click();

            browser.find("#outcome", "An owner was not asked. No message was sent");
            browser.awaitTrue("document.activeElement.id === 'outcome'");
            assertThat(owner("job")).doesNotContain("asked");
            // Scripts are not stopped by the end of their page.
            awaitLoaded();
        }
        assertThat(lease.release()).as("still ours").isTrue();
    }

    private static void tabTo(String selector) {
        for (int i = 0; i < 30; i++) {
            browser.press(Keys.TAB);
            if (Boolean.TRUE.equals(browser.evaluate("document.activeElement.matches('" + selector + "')"))) {
                return;
            }
        }
        throw new AssertionError("The key TAB does not reach " + selector);
    }

    @Test
    void shouldNotReleaseTheLockOfTheNextOwner() throws Exception {
        Lease shown = registry.acquire(LockRequest.of("passed on"));
        visit("en", WIDE, "light");
        browser.find("tr.lock .release").click();
        shown.release();
        Lease next = registry.acquire(LockRequest.of("passed on"));

        browser.find("#release").click();

        browser.find("#outcome", "another owner");
        awaitLoaded();
        assertThat(next.release()).as("still theirs").isTrue();
    }
}
