package io.github.lockstarter.testsupport;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import com.deque.html.axecore.selenium.AxeBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * A headless Chromium of this machine. Tests are skipped where there is none, and print the reason. Modules that use it
 * depend on {@code selenium-chrome-driver} themselves.
 */
public final class Browser implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final Duration POLL = Duration.ofMillis(30);

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    public static Browser open() {
        Path browser = installed("chromium", "chromium-browser", "google-chrome");
        Path chromeDriver = installed("chromedriver");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.toFile());
        // without the flags for networking, it calls its maker at every start
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync");
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromeDriver.toFile())
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Path installed(String... names) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(names)
                .flatMap(name ->
                        Arrays.stream(path.split(File.pathSeparator, -1)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(() -> {
                    String reason = "SKIPPED: the page is not tested in a browser, since there is no "
                            + String.join(" or ", names)
                            + " on the PATH (Debian: packages chromium and chromium-driver).";
                    System.out.println(reason);
                    return abort(reason);
                });
    }

    /** Returns what has the focus. */
    public WebElement focused() {
        return driver.switchTo().activeElement();
    }

    /** Sends keys to what has the focus. */
    public void press(CharSequence... keys) {
        focused().sendKeys(keys);
    }

    /** Sets the languages that pages see, in the next page. */
    public void languages(String accepted) {
        command(
                "Emulation.setUserAgentOverride",
                Map.of("userAgent", String.valueOf(evaluate("navigator.userAgent")), "acceptLanguage", accepted));
    }

    public void width(int pixels) {
        size(pixels, 1100);
    }

    public void size(int width, int height) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    public void colorScheme(String scheme) {
        command(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    private void command(String name, Map<String, Object> parameters) {
        driver.executeCdpCommand(name, parameters);
    }

    public void visit(String address) {
        driver.get(address);
    }

    public WebElement find(String selector) {
        return find(selector, "");
    }

    /** Waits for an element that contains such a text. */
    public WebElement find(String selector, String text) {
        try {
            return await().pollDelay(Duration.ZERO)
                    .pollInterval(POLL)
                    .atMost(LIMIT)
                    .ignoreException(StaleElementReferenceException.class)
                    .until(() -> present(selector, text), Optional::isPresent)
                    .orElseThrow();
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("No element %s with '%s' on the page:%n%s".formatted(selector, text, text()), e);
        }
    }

    private Optional<WebElement> present(String selector, String text) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .filter(element -> element.getText().contains(text))
                .findFirst();
    }

    public String text() {
        return driver.findElement(By.tagName("body")).getText();
    }

    /** Waits until an expression of JavaScript is true. */
    public void awaitTrue(String expression) {
        await(expression)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .atMost(LIMIT)
                .until(() -> Boolean.TRUE.equals(evaluate("!!(" + expression + ")")));
    }

    /** Returns the value of an expression of JavaScript, which may use {@code arguments}. */
    public @Nullable Object evaluate(String expression, Object... arguments) {
        return driver.executeScript("return " + expression, arguments);
    }

    /** Returns how many elements there are. */
    public int count(String selector) {
        return driver.findElements(By.cssSelector(selector)).size();
    }

    /** Returns what axe objects to, by the rules of WCAG A and AA and its own: the rule, and the first element. */
    public List<String> accessibilityViolations() {
        return new AxeBuilder()
                .analyze(driver).getViolations().stream()
                        .map(rule ->
                                rule.getId() + ": " + rule.getNodes().get(0).getHtml())
                        .toList();
    }

    public List<String> errorsOfScripts() {
        return driver.manage().logs().get("browser").getAll().stream()
                .map(Object::toString)
                .filter(line -> line.contains("SEVERE") && !line.contains("Failed to load resource"))
                .toList();
    }

    /** Writes {@code target/screenshots/NAME.png}. */
    public void screenshot(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
