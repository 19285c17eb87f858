package io.github.lockstarter.docstests.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.markdown.Fence;
import io.github.lockstarter.docstests.markdown.Heading;
import io.github.lockstarter.docstests.markdown.Page;
import io.github.lockstarter.test.UseInMemoryLocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The jobs of the manual do what it describes, and their code is that of the manual. */
@SpringBootTest
@UseInMemoryLocks
@Timeout(60)
class LongJobTest {

    private static final Path SOURCES = Path.of("src/test/java/io/github/lockstarter/docstests/jobs");

    @MockitoBean
    private Reports reports;

    @MockitoBean
    private Workers workers;

    @Autowired
    private ReportJob job;

    @Autowired
    private AnnotatedReportJob annotated;

    @Autowired
    private LockRegistry lockRegistry;

    @Autowired
    private LockInventory inventory;

    private boolean write(boolean isAnnotated) throws InterruptedException {
        when(this.reports.openChapters("7")).thenReturn(List.of("one", "two", "three"));
        return isAnnotated ? this.annotated.writeReport("7") : this.job.writeReport("7");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWriteAllChaptersUnlessItIsAsked(boolean isAnnotated) throws Exception {
        assertThat(write(isAnnotated)).isTrue();

        verify(this.reports).write(eq("three"), anyLong());
        verify(this.reports, never()).save(anyString(), anyString());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldStopAfterTheStepInWhichItIsAsked(boolean isAnnotated) throws Exception {
        doAnswer(step -> {
                    boolean asked = lockRegistry.requestRelease("report:7");
                    assertThat(asked).isTrue();
                    assertThat(this.lockRegistry.requestRelease("report:7"))
                            .as("the answer to a repeated request")
                            .isTrue();
                    assertThat(this.inventory.held())
                            .singleElement()
                            .matches(LockInventory.Held::releaseRequested, "held by an owner that was asked");
                    return null;
                })
                .when(this.reports)
                .write(eq("one"), anyLong());

        assertThat(write(isAnnotated)).isFalse();

        verify(this.reports).save("7", "two");
        verify(this.reports, never()).write(eq("two"), anyLong());
        assertThat(this.lockRegistry.getLock("report:7").isLocked()).isFalse();
        assertThat(this.lockRegistry.requestRelease("report:7"))
                .as("a request without an owner")
                .isFalse();
        verify(this.workers, timeout(20_000)).stopAfterThisStep("report:7");
    }

    /** The caller waits for the lock when the owner stops, and is not asked itself. */
    @Test
    void shouldLeaveTheLockToTheCallerThatAsks() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        doAnswer(step -> {
                    began.countDown();
                    await().until(() -> !this.inventory.awaited().isEmpty());
                    return null;
                })
                .when(this.reports)
                .write(eq("one"), anyLong());
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> owner = executor.submit(() -> write(false));
            assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();

            try (Lease lease = this.job.takeOver("7")) {
                assertThat(owner.get(20, TimeUnit.SECONDS)).isFalse();
                assertThat(lease.isReleaseRequested()).isFalse();
                lease.ensureHeld();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void shouldCancelWorkThatCannotCheck() throws Exception {
        CompletableFuture<Void> work = new CompletableFuture<>();
        try (Lease lease = this.lockRegistry.acquire(LockRequest.of("report", "7"))) {
            this.job.cancelWhenAsked(lease, work);

            assertThat(this.lockRegistry.requestRelease("report:7")).isTrue();

            assertThat(work).failsWithin(20, TimeUnit.SECONDS);
            assertThat(work).isCancelled();
            lease.ensureHeld();
        }
    }

    @Test
    void shouldBeThatOfTheManual() throws IOException {
        StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                sources.append(Files.readString(file));
            }
        }
        Manual manual = Manual.read(Manual.projectRoot());

        assertThat(Stream.of(
                                fences(manual, "docs/reference/failures.md", "a-long-job-that-stops-when-asked")
                                        .stream(),
                                fences(manual, "docs/reference/testing.md", "jobs-that-stop-when-asked").stream())
                        .flatMap(fences -> fences))
                .hasSizeGreaterThanOrEqualTo(7)
                .allSatisfy(fence -> assertThat(tokens(sources.toString())).contains(tokens(fence)));
    }

    /** Returns the fences of Java below a heading of the second level. */
    private static List<String> fences(Manual manual, String path, String anchor) {
        Page page = manual.page(path).orElseThrow();
        int begin = page.headings().stream()
                .filter(heading -> heading.anchor().equals(anchor))
                .findFirst()
                .orElseThrow()
                .line();
        int end = page.headings().stream()
                .filter(heading -> heading.level() == 2)
                .mapToInt(Heading::line)
                .filter(line -> line > begin)
                .findFirst()
                .orElse(Integer.MAX_VALUE);
        return page.fences("java").stream()
                .filter(fence -> fence.line() > begin && fence.line() < end)
                .map(Fence::text)
                .toList();
    }

    /** Removes what a formatter changes, comments, and the imports that a fence begins with. */
    private static String tokens(String code) {
        return code.replaceAll("(?m)//.*$|^import .*;$", "").replaceAll("\\s+", "");
    }
}
