package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockSpec;
import io.github.lockstarter.aop.metadata.LockedMethod;
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
 * without their lock because locks are disabled, as one warning. Beans that are created later are reported when they
 * are. The listener is not called before, because it must not be created before ordinary beans. Thread-safe.
 */
final class StartupReport {

    private static final LockLog logger = LockLog.of(StartupReport.class);

    private final Reported names = new Reported();

    private final Reported disabledMethods = new Reported();

    private volatile LockNameListener listener = lockName -> {};

    private volatile boolean started;

    void setListener(LockNameListener listener) {
        this.listener = listener;
    }

    /** Adds methods that acquire their locks. */
    void addLocked(List<LockedMethod> methods) {
        for (LockedMethod method : methods) {
            for (LockSpec spec : method.specs()) {
                this.names.add(spec.name());
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
        for (String name : this.names.takeNew()) {
            this.listener.named(name);
        }
    }

    private void reportDisabled() {
        Set<String> methods = this.disabledMethods.takeNew();
        if (!methods.isEmpty()) {
            logger.warn("Distributed locks are disabled (distributed-lock.enabled=false)."
                    + " These methods run WITHOUT their lock: " + String.join(", ", methods));
        }
    }

    /** Returns each text once, in alphabetical order. */
    private static final class Reported {

        private final Set<String> all = ConcurrentHashMap.newKeySet();

        private final NavigableSet<String> unreported = new ConcurrentSkipListSet<>();

        void add(String text) {
            if (this.all.add(text)) {
                this.unreported.add(text);
            }
        }

        Set<String> takeNew() {
            Set<String> taken = new TreeSet<>();
            for (String text = this.unreported.pollFirst(); text != null; text = this.unreported.pollFirst()) {
                taken.add(text);
            }
            return taken;
        }
    }
}
