package io.github.lockstarter.aop;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A set of weakly referenced objects, which are compared by identity. Thread-safe. */
final class WeakIdentitySet {

    private final Set<Object> elements = ConcurrentHashMap.newKeySet();

    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    void add(Object element) {
        for (Reference<?> gone = this.collected.poll(); gone != null; gone = this.collected.poll()) {
            this.elements.remove(gone);
        }
        this.elements.add(new Element(element, this.collected));
    }

    boolean contains(Object element) {
        return this.elements.contains(new Element(element, null));
    }

    private static final class Element extends WeakReference<Object> {

        private final int hash;

        Element(Object referent, @Nullable ReferenceQueue<Object> queue) {
            super(referent, queue);
            this.hash = System.identityHashCode(referent);
        }

        @Override
        public int hashCode() {
            return this.hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Object referent = get();
            return referent != null && other instanceof Element element && element.get() == referent;
        }
    }
}
