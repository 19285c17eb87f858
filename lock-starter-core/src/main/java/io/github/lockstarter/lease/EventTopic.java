package io.github.lockstarter.lease;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** One kind of event and those who listen to it: the meters at once, the log and everybody else on a thread each. */
final class EventTopic<E extends LockEvent> {

    private static final LockLog logger = LockLog.of(EventTopic.class);

    private final BiConsumer<LockListener, E> call;

    private final @Nullable LockListener meters;

    private final @Nullable LockListener log;

    private final List<LockListener> listeners;

    private final LockThreads threads;

    EventTopic(
            String method,
            Class<E> type,
            BiConsumer<LockListener, E> call,
            @Nullable LockListener meters,
            @Nullable LockListener log,
            List<LockListener> listeners,
            LockThreads threads) {
        this.call = call;
        this.meters = meters != null && overrides(meters, method, type) ? meters : null;
        this.log = log;
        this.listeners = listeners.stream()
                .filter(listener -> overrides(listener, method, type))
                .toList();
        this.threads = threads;
    }

    /** Whether the listener hears this kind at all; what nobody hears need not be told. */
    private static boolean overrides(LockListener listener, String method, Class<?> type) {
        Method found = ClassUtils.getMethodIfAvailable(listener.getClass(), method, type);
        // A native image knows only the methods it was told of.
        return found == null || found.getDeclaringClass() != LockListener.class;
    }

    boolean isHeard() {
        return this.meters != null || this.log != null || !this.listeners.isEmpty();
    }

    void publish(Supplier<E> event) {
        if (!isHeard()) {
            return;
        }
        E told = event.get();
        if (this.meters != null) {
            tell(this.meters, told);
        }
        LockListener lines = this.log;
        if (lines != null) {
            this.threads.log(() -> tell(lines, told));
        }
        if (!this.listeners.isEmpty()) {
            this.threads.listen(this.listeners, listener -> tell(listener, told));
        }
    }

    private void tell(LockListener listener, E event) {
        try {
            this.call.accept(listener, event);
        } catch (Throwable ex) {
            // Whatever an observer throws, an Error included, is no reason to lose a lock.
            this.threads.log(() -> logger.warn(
                    "Lock listener " + listener.getClass().getName() + " failed on "
                            + event.getClass().getSimpleName() + " of lock '" + LoggedNames.ofStatic(event.name())
                            + "'.",
                    ex));
        }
    }
}
