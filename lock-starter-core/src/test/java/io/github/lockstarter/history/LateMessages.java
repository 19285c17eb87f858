package io.github.lockstarter.history;

import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.queue.Claim;
import io.github.lockstarter.lease.queue.LineBase;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.WaitingListener;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps messages about grants until they are delivered, to a registry as it is or to one that believes too much. */
final class LateMessages {

    /** How messages are believed. */
    enum Belief {
        /** By the rules: the delay alone harms nothing. */
        FROM_PROOF,
        /** From the moment at which the message arrives, which is the mistake. */
        FROM_RECEIPT
    }

    private record Message(String lockName, String acquisitionId, long fencingToken) {}

    private final Belief belief;

    private final Queue<Message> messages = new ConcurrentLinkedQueue<>();

    private volatile WaitingListener listener;

    private volatile long claimMillis;

    LateMessages(Belief belief) {
        this.belief = belief;
    }

    /** Returns a store whose messages about grants come here; all else goes to the one that is given. */
    LockStore of(LockStore store) {
        this.claimMillis = store.claimMillis();
        WaitingListener keeping = new Keeping();
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("start")) {
                        this.listener = (WaitingListener) arguments[1];
                        arguments[1] = keeping;
                    } else if (method.getName().equals("stop")) {
                        arguments[0] = keeping;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }

    int size() {
        return this.messages.size();
    }

    /** Delivers all messages that have arrived. */
    void deliver() throws ReflectiveOperationException {
        for (Message message = this.messages.poll(); message != null; message = this.messages.poll()) {
            if (this.belief == Belief.FROM_PROOF) {
                this.listener.granted(message.lockName(), message.acquisitionId(), message.fencingToken());
            } else {
                believe(message);
            }
        }
    }

    private void believe(Message message) throws ReflectiveOperationException {
        LocalQueues<?> queues = field("queues", LocalQueues.class);
        Renewer renewer = field("renewer", Renewer.class);
        // Not while an attempt has no reply: that will bring the grant.
        Pause.until(Duration.ofSeconds(20), () -> isBelieved(message, queues, renewer));
    }

    private boolean isBelieved(Message message, LocalQueues<?> queues, Renewer renewer) {
        boolean[] believed = {false};
        queues.forFirst(message.lockName(), GrantKind.EXCLUSIVE, (first, ticket) -> {
            WaitingRequest waiter = first.waiter();
            if (waiter == null || !ticket.acquisitionId().equals(message.acquisitionId())) {
                return;
            }
            LineBase receipt = new LineBase(System.nanoTime(), System.currentTimeMillis(), 0);
            Renewal renewal = renewer.ahead(message.lockName(), message.acquisitionId(), waiter.leaseMillis());
            if (ticket.believe(Claim.believed(receipt, this.claimMillis, message.fencingToken(), renewal))) {
                believed[0] = true;
                ticket.noticeHandOver();
                first.wake();
                renewer.sendAhead(renewal, waiter.request());
            }
        });
        return believed[0];
    }

    private <T> T field(String name, Class<T> type) throws ReflectiveOperationException {
        Field field = this.listener.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return type.cast(field.get(this.listener));
    }

    private final class Keeping implements WaitingListener {

        @Override
        public void handedOver(String lockName) {
            LateMessages.this.listener.handedOver(lockName);
        }

        @Override
        public void granted(String lockName, String acquisitionId, long fencingToken) {
            LateMessages.this.messages.add(new Message(lockName, acquisitionId, fencingToken));
        }

        @Override
        public void missedSome() {
            LateMessages.this.listener.missedSome();
        }
    }
}
