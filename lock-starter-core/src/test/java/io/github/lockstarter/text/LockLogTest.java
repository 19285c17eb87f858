package io.github.lockstarter.text;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.github.lockstarter.testsupport.LogCapture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever is logged is one line, and so is each message of a stack trace. */
class LockLogTest {

    private static final String HOSTILE = "1\n2026-01-01 ERROR forged \u001b[2J\u2028\u202E";

    private static final String SHOWN = "1\\u000A2026-01-01 ERROR forged \\u001B[2J\\u2028\\u202E";

    private final Logger logger = (Logger) LoggerFactory.getLogger(LockLogTest.class);

    @AutoClose
    private final LogCapture lines = new LogCapture(LockLogTest.class, Level.DEBUG);

    private final LockLog log = LockLog.of(LockLogTest.class);

    @Test
    void shouldWriteOneLineAtEachLevel() {
        this.log.debug(HOSTILE);
        this.log.debug(HOSTILE, null);
        this.log.info(HOSTILE);
        this.log.warn(HOSTILE);
        this.log.warn(HOSTILE, null);
        this.log.error(HOSTILE);
        this.log.error(HOSTILE, null);

        assertThat(this.lines.events())
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsOnly(SHOWN);
        assertThat(this.lines.events())
                .extracting(ILoggingEvent::getLevel)
                .containsExactly(
                        Level.DEBUG, Level.DEBUG, Level.INFO, Level.WARN, Level.WARN, Level.ERROR, Level.ERROR);
    }

    @Test
    void shouldNotWriteBelowTheLevel() {
        this.logger.setLevel(Level.INFO);

        this.log.debug("hidden");

        assertThat(this.log.isDebugEnabled()).isFalse();
        assertThat(this.lines.events()).isEmpty();
    }

    @Test
    void shouldShowAnExceptionAsItIs() {
        IllegalStateException thrown = new IllegalStateException("no answer", new RuntimeException("timeout"));

        this.log.warn("failed", thrown);

        assertThat(trace())
                .contains("IllegalStateException: no answer", "Caused by: java.lang.RuntimeException: timeout");
        assertThat(trace()).doesNotContain("PrintableTrace");
    }

    @Test
    void shouldShowMessagesOfExceptionsInOneLine() {
        IllegalStateException thrown = new IllegalStateException("failed", new IllegalArgumentException(HOSTILE));
        thrown.addSuppressed(new RuntimeException(HOSTILE));

        this.log.error("failed", thrown);

        assertThat(trace().lines())
                .allMatch(line -> line.chars().allMatch(c -> c == '\t' || !Character.isISOControl(c)))
                .noneMatch(line -> line.contains("\u2028") || line.contains("\u202E") || line.startsWith("2026"));
        assertThat(trace())
                .contains("java.lang.IllegalStateException: failed", "java.lang.IllegalArgumentException: " + SHOWN)
                .contains("java.lang.RuntimeException: " + SHOWN, "at " + LockLogTest.class.getName());
    }

    @Test
    void shouldShowExceptionsThatCauseEachOther() {
        IllegalStateException first = new IllegalStateException(HOSTILE);
        RuntimeException second = new RuntimeException("second", first);
        first.initCause(second);
        first.addSuppressed(second);

        this.log.error("failed", first);

        assertThat(trace()).contains(SHOWN, "second");
    }

    private String trace() {
        return ThrowableProxyUtil.asString(this.lines.events().get(0).getThrowableProxy());
    }
}
