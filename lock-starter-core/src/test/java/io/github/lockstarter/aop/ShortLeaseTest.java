package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A fixed lease below a second, as it is often ported literally from another library, is reported at the start. */
class ShortLeaseTest {

    @AutoClose
    private final LogCapture log = new LogCapture(StartupReport.class.getName());

    private List<String> warnings() {
        return this.log.with("fixed lease");
    }

    @Test
    void shouldReportAnAnnotation() {
        LockedContext.of(Jobs.class).close();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("'short'", Jobs.class.getName() + ".runShortly()", "999ms");
    }

    @Test
    void shouldReportAPropertyInsteadOfTheAnnotationThatItReplaces() {
        LockedContext.with(lease("short", Duration.ofMillis(500)), Jobs.class).close();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("distributed-lock.locks.short.lease", "500ms")
                .doesNotContain("runShortly");
    }

    @Test
    void shouldReportAPropertyThatNoAnnotationUses() {
        LockedContext.with(lease("other", Duration.ofMillis(1)), Nothing.class).close();

        assertThat(warnings()).singleElement().asString().contains("locks.other.lease");
    }

    @Test
    void shouldNotReportAPropertyThatLengthensTheLeaseOrHasItRenewed() {
        LockedContext.with(lease("short", Duration.ofSeconds(1)), Jobs.class).close();
        LockedContext.with(lease("short", Duration.ofMillis(-1)), Jobs.class).close();

        assertThat(warnings()).isEmpty();
    }

    private static Consumer<DistributedLockBeanPostProcessor> lease(String name, Duration lease) {
        NamedSettings settings = new NamedSettings(
                name, null, new NamedValue<>(NamedSettings.property(name, "lease"), lease), null, null, null, null);
        return processor -> processor.setSettingsByName(new SettingsByName(List.of(settings)));
    }

    static class Nothing {}

    static class Jobs {

        @DistributedLock(name = "short", lease = 999)
        public void runShortly() {}

        @DistributedLock(name = "second", lease = 1000)
        public void runForASecond() {}

        @DistributedLock(name = "renewed")
        public void runRenewed() {}
    }
}
