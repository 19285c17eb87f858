package io.github.lockstarter.lock;

import io.github.lockstarter.store.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Collects renewals that are due together, and sends those with the same lease as one command. Used by one thread.
 *
 * @param <T> what the outcome of a renewal is reported to
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

    /** Adds a renewal, and sends those before it if it does not fit to them. */
    public void add(T receiver, Sent renewal) {
        long lease = ((Command.Renew) renewal.command).leaseMillis();
        if (lease != this.leaseMillis || this.renewals.size() >= this.maxSize.getAsInt()) {
            send();
            this.leaseMillis = lease;
        }
        // Allocates what both need before one of them has changed.
        this.receivers.ensureCapacity(this.receivers.size() + 1);
        this.renewals.ensureCapacity(this.renewals.size() + 1);
        this.receivers.add(receiver);
        this.renewals.add(renewal);
    }

    /** Sends what was added. */
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
            // They may be the present lists.
            batchReceivers.clear();
            batch.clear();
        }
    }

    /** Sends one renewal. */
    public abstract void send(T receiver, Sent renewal);

    /** Sends several renewals, whose outcomes have the order of the receivers. */
    public abstract void send(Command.RenewAll all, List<T> batchReceivers, List<Sent> batch);

    /** A renewal has perhaps not been sent. Does not throw. */
    public abstract void failed(T receiver, Sent renewal, Throwable failure);
}
