package io.github.lockstarter.lock;

import io.github.lockstarter.store.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Collects renewals that are due together, and sends those with the same lease as one command. Not thread-safe.
 *
 * @param <T> receiver of the outcome of a renewal
 */
public abstract class RenewalBatch<T> {

    private final IntSupplier maxSize;

    private ArrayList<T> receivers = new ArrayList<>();

    private ArrayList<Sent> renewals = new ArrayList<>();

    private long leaseMillis;

    /**
     * Creates an empty batch.
     *
     * @param maxSize supplies the largest number of renewals in one command
     */
    public RenewalBatch(IntSupplier maxSize) {
        this.maxSize = maxSize;
    }

    public boolean isEmpty() {
        return this.renewals.isEmpty();
    }

    /** Adds a renewal. Sends the collected renewals first if their lease differs or the batch is full. */
    public void add(T receiver, Sent renewal) {
        long lease = ((Command.Renew) renewal.command).leaseMillis();
        if (lease != this.leaseMillis || this.renewals.size() >= this.maxSize.getAsInt()) {
            send();
            this.leaseMillis = lease;
        }
        // Both lists allocate their memory before one of them is changed.
        this.receivers.ensureCapacity(this.receivers.size() + 1);
        this.renewals.ensureCapacity(this.renewals.size() + 1);
        this.receivers.add(receiver);
        this.renewals.add(renewal);
    }

    /** Sends the collected renewals, if there are any. */
    public void send() {
        if (this.renewals.isEmpty()) {
            return;
        }
        ArrayList<T> batchReceivers = this.receivers;
        ArrayList<Sent> batch = this.renewals;
        try {
            ArrayList<T> nextReceivers = new ArrayList<>();
            this.renewals = new ArrayList<>();
            this.receivers = nextReceivers;
            if (batch.size() == 1) {
                send(batchReceivers.get(0), batch.get(0));
                return;
            }
            List<Command.Renew> commands = new ArrayList<>(batch.size());
            batch.forEach(sent -> commands.add((Command.Renew) sent.command));
            send(new Command.RenewAll(commands), batchReceivers, batch);
        } catch (Throwable ex) {
            for (int i = 0; i < batch.size(); i++) {
                failed(batchReceivers.get(i), batch.get(i), ex);
            }
            // The lists may still be the present ones.
            batchReceivers.clear();
            batch.clear();
        }
    }

    /** Sends one renewal. */
    public abstract void send(T receiver, Sent renewal);

    /** Sends several renewals with one command. The outcomes have the order of the receivers. */
    public abstract void send(Command.RenewAll all, List<T> batchReceivers, List<Sent> batch);

    /** Reports that a renewal may not have been sent. Must not throw. */
    public abstract void failed(T receiver, Sent renewal, Throwable failure);
}
