package io.github.lockstarter.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** What is logged while this is open. */
final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger logger;

    private final Level levelBefore;

    private final List<String> messages = new CopyOnWriteArrayList<>();

    private final List<String> traces = new CopyOnWriteArrayList<>();

    /** What the library logs at WARN and above. */
    LogCapture() {
        this("io.github.lockstarter");
    }

    /** What is logged under that name at WARN and above. */
    LogCapture(String name) {
        this(name, Level.WARN);
    }

    /** What is logged under that name at that level and above. */
    LogCapture(String name, Level level) {
        this.logger = (Logger) LoggerFactory.getLogger(name);
        this.levelBefore = this.logger.getLevel();
        setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        start();
        this.logger.setLevel(level);
        this.logger.setAdditive(false);
        this.logger.addAppender(this);
    }

    /** Messages that contain the text. */
    List<String> with(String text) {
        return this.messages.stream().filter(message -> message.contains(text)).toList();
    }

    /** All messages, and the stack traces below them. */
    List<String> all() {
        return Stream.concat(this.messages.stream(), this.traces.stream()).toList();
    }

    @Override
    protected void append(ILoggingEvent event) {
        this.messages.add(event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            this.traces.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
    }

    @Override
    public void close() {
        this.logger.detachAppender(this);
        this.logger.setAdditive(true);
        this.logger.setLevel(this.levelBefore);
    }
}
