package io.github.lockstarter.docstests.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.test.UseInMemoryLocks;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@UseInMemoryLocks
class ReportJobTest {

    @MockitoBean
    Reports reports;

    @Autowired
    ReportJob job;

    @Autowired
    LockRegistry lockRegistry;

    @Test
    void shouldSaveAndStopWhenAsked() throws InterruptedException {
        when(reports.openChapters("7")).thenReturn(List.of("one", "two", "three"));
        doAnswer(step -> lockRegistry.requestRelease("report:7")).when(reports).write(eq("one"), anyLong());

        assertThat(job.writeReport("7")).isFalse();

        verify(reports).save("7", "two");
        assertThat(lockRegistry.getLock("report:7").isLocked()).isFalse();
    }
}
