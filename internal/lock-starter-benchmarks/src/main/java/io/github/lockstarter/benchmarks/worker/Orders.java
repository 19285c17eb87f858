package io.github.lockstarter.benchmarks.worker;

import io.github.lockstarter.benchmarks.client.ClientSettings;
import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.Use;
import io.github.lockstarter.benchmarks.contention.Contention;
import io.github.lockstarter.benchmarks.contention.ContentionOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The orders of a worker: the word that names it, a blank, and its arguments. */
final class Orders {

    private final Contender contender;

    private final int port;

    private @Nullable LockClient client;

    private @Nullable HeldLocks held;

    private @Nullable IdleWaiters waiters;

    Orders(Contender contender, int port) {
        this.contender = contender;
        this.port = port;
    }

    String execute(String order) throws Exception {
        int blank = order.indexOf(' ');
        String name = blank < 0 ? order : order.substring(0, blank);
        String rest = order.substring(blank + 1);
        return switch (name) {
            case "open" -> {
                open(Use.CONTENDED, Long.parseLong(rest)).warmUp();
                yield "open";
            }
            case "contend" -> {
                Contention.run(client(), ContentionOrder.decode(rest));
                yield "done";
            }
            case "take" -> {
                client().getLock(Worker.ORPHAN).lock();
                yield Long.toString(System.nanoTime());
            }
            case "read" -> {
                new Reading(client()).begin();
                yield "reading";
            }
            case "read-on" -> {
                String[] words = rest.split(" ", -1);
                new Reading(client()).goOn(Long.parseLong(words[0]), Long.parseLong(words[1]));
                yield "done";
            }
            case "write" -> {
                client().getReadWriteLock(Worker.ORPHAN).writeLock().lock();
                yield Long.toString(System.nanoTime());
            }
            case "hold" -> {
                String[] words = rest.split(" ", -1);
                this.held = new HeldLocks(open(Use.RENEWED, Long.parseLong(words[1])));
                yield this.held.take(Integer.parseInt(words[0]), Integer.parseInt(words[2]));
            }
            case "burst" -> {
                Burst burst = new Burst(open(Use.ALONE, 0), this.port, Integer.parseInt(rest));
                yield burst.measure();
            }
            case "stand-by" -> {
                this.waiters = new IdleWaiters(this.contender, this.port, Integer.parseInt(rest));
                yield "open";
            }
            case "wait" -> {
                Objects.requireNonNull(this.waiters, "no stand-by").start();
                yield "waiting";
            }
            case "close" -> {
                long began = System.nanoTime();
                client().close();
                yield Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            case "cpu" -> Long.toString(HeldLocks.processCpuNanos());
            default -> throw new IllegalArgumentException(order);
        };
    }

    /** With that lease, or the default one if it is zero; in place of what was open. */
    private LockClient open(Use use, long leaseMillis) {
        if (this.client != null) {
            this.client.close();
        }
        Duration lease = leaseMillis == 0 ? null : Duration.ofMillis(leaseMillis);
        LockClient opened = this.contender.open(new ClientSettings(this.port, lease, use));
        this.client = opened;
        return opened;
    }

    private LockClient client() {
        return Objects.requireNonNull(this.client, "not open");
    }
}
