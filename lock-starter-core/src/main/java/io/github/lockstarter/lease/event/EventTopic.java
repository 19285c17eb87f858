package io.github.lockstarter.lease.event;

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

/**
 * Publishes one kind of event: to the meters at once, to the log and to listeners on one thread each. An exception of an
 * observer is logged and affects neither the lock nor other observers.
 */
public final class EventTopic<E extends LockEvent> {

    private static final LockLog logger = LockLog.of(EventTopic.class);

    private final BiConsumer<LockListener, E> call;

    private final EventObservers observers;

    private final @Nullable LockListener meters;

    private final @Nullable LockListener lines;

    private final List<LockListener> listeners;

    /**
     * Creates a topic without the observers that do not override its method.
     *
     * @param method name of the method of {@link LockListener}
     * @param type its parameter
     * @param call calls that method
     * @param logged whether events go to the log
     */
    public EventTopic(
            String method, Class<E> type, BiConsumer<LockListener, E> call, EventObservers observers, boolean logged) {
        this.call = call;
        this.observers = observers;
        LockListener present = observers.meters();
        this.meters = present != null && overrides(present, method, type) ? present : null;
        this.lines = logged ? observers.lines() : null;
        this.listeners = observers.listeners().stream()
                .filter(listener -> overrides(listener, method, type))
                .toList();
    }

    private static boolean overrides(LockListener listener, String method, Class<?> type) {
        Method found = ClassUtils.getMethodIfAvailable(listener.getClass(), method, type);
        // A native image knows only the methods that its hints name.
        return found == null || found.getDeclaringClass() != LockListener.class;
    }

    /** Returns whether there are observers; without them, no event need be created. */
    public boolean isObserved() {
        return this.meters != null || this.lines != null || !this.listeners.isEmpty();
    }

    /** Creates the event and passes it to the observers, if there are any. */
    public void publish(Supplier<E> creation) {
        if (!isObserved()) {
            return;
        }
        E event = creation.get();
        if (this.meters != null) {
            notify(this.meters, event);
        }
        LockListener log = this.lines;
        if (log != null) {
            this.observers.log().add(() -> notify(log, event));
        }
        if (!this.listeners.isEmpty()) {
            this.observers.listenerQueue().add(this.listeners, listener -> notify(listener, event));
        }
    }

    private void notify(LockListener listener, E event) {
        try {
            this.call.accept(listener, event);
        } catch (Throwable ex) {
            // Whatever an observer throws, an Error included, must not cost a lock. An appender may block, and this
            // thread may be that of the watchdog.
            this.observers
                    .log()
                    .add(() -> logger.warn(
                            "Lock listener " + listener.getClass().getName() + " failed on "
                                    + event.getClass().getSimpleName() + " of lock '"
                                    + LoggedNames.ofStatic(event.name()) + "'.",
                            ex));
        }
    }
}
