package io.github.lockstarter.aop;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Reports at start-up which lock names the application uses, to the {@link LockNameListener}, and which methods run
 * without their lock or permits because locks are disabled, as one warning. Beans that are created later are reported when they
 * are. The listener is not called before, because it must not be created before ordinary beans. Thread-safe.
 */
final class StartupReport {

    private static final LockLog logger = LockLog.of(StartupReport.class);

    private final Reported<NameInMode> names = new Reported<>();

    private final Reported<String> disabledMethods = new Reported<>();

    private record NameInMode(String name, LockMode mode) implements Comparable<NameInMode> {

        @Override
        public int compareTo(NameInMode other) {
            int byName = this.name.compareTo(other.name);
            return byName != 0 ? byName : this.mode.compareTo(other.mode);
        }
    }

    private volatile LockNameListener listener = (lockName, mode) -> {};

    private volatile boolean started;

    void setListener(LockNameListener listener) {
        this.listener = listener;
    }

    /** Adds methods that acquire their locks. */
    void addLocked(List<LockedMethod> methods) {
        for (LockedMethod method : methods) {
            for (LockSpec spec : method.specs()) {
                this.names.add(new NameInMode(spec.name(), spec.use().mode()));
            }
        }
        if (this.started) {
            reportNames();
        }
    }

    /** Adds methods that run without their locks. */
    void addDisabled(List<LockedMethod> methods) {
        for (LockedMethod method : methods) {
            this.disabledMethods.add(method.site().shortText());
        }
        if (this.started) {
            reportDisabled();
        }
    }

    /** Reports what has been added so far; see {@link SmartInitializingSingleton#afterSingletonsInstantiated}. */
    void start() {
        this.started = true;
        reportDisabled();
        reportNames();
    }

    private void reportNames() {
        for (NameInMode each : this.names.takeNew()) {
            this.listener.named(each.name(), each.mode());
        }
    }

    private void reportDisabled() {
        Set<String> methods = this.disabledMethods.takeNew();
        if (!methods.isEmpty()) {
            logger.warn("Distributed locks are disabled (distributed-lock.enabled=false)."
                    + " These methods run WITHOUT their lock or permits: " + String.join(", ", methods));
        }
    }

    /** Returns each element once, in its natural order. */
    private static final class Reported<T extends Comparable<T>> {

        private final Set<T> all = ConcurrentHashMap.newKeySet();

        private final NavigableSet<T> unreported = new ConcurrentSkipListSet<>();

        void add(T element) {
            if (this.all.add(element)) {
                this.unreported.add(element);
            }
        }

        Set<T> takeNew() {
            Set<T> taken = new TreeSet<>();
            for (T next = this.unreported.pollFirst(); next != null; next = this.unreported.pollFirst()) {
                taken.add(next);
            }
            return taken;
        }
    }
}
