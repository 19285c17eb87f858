package io.github.lockstarter.testsupport;

import io.github.lockstarter.testsupport.ProxyFaults.Fate;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One client of the proxy and its connection to the server, which is opened with the first command. As in TCP, nothing
 * follows after something that was lost: a direction that has swallowed a frame swallows all later ones.
 */
final class ProxyConnection {

    /** What a connection needs to know about its proxy. */
    record Context(
            IntSupplier targetPort,
            ProxyFaults requests,
            ProxyFaults replies,
            Supplier<ServiceRules> rules,
            Consumer<List<String>> seen,
            Consumer<ProxyConnection> closed) {}

    /** A command that was sent, and what becomes of its reply. */
    private record Unanswered(List<String> command, UnaryOperator<RespFrame> reply) {}

    private static final Unanswered NONE = new Unanswered(List.of(), reply -> reply);

    private final Socket client;
    private final Socket server = new Socket();
    private final Context context;
    private final ProxyPipe up;
    private final ProxyPipe down;
    private final Queue<Unanswered> unanswered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger threads = new AtomicInteger();
    /** By {@link System#nanoTime()}. */
    private final AtomicLong lastFrame = new AtomicLong(System.nanoTime());

    private volatile boolean subscriber;
    private volatile boolean cut;
    private volatile boolean requestsLost;
    private volatile boolean repliesLost;

    ProxyConnection(Socket client, Context context) {
        this.client = client;
        this.context = context;
        String name = "proxy-" + client.getPort();
        this.up = new ProxyPipe(name + "-up", client, context.requests(), new Requests());
        this.down = new ProxyPipe(name + "-down", server, context.replies(), new Replies());
    }

    void start() {
        threads.addAndGet(2);
        up.start();
    }

    boolean isCut() {
        return cut;
    }

    boolean hasLostSomething() {
        return requestsLost || repliesLost;
    }

    /** Ends it with a FIN to both sides. */
    void cutFin() {
        abort();
        Closing.orderly(client);
        Closing.orderly(server);
    }

    /** Ends it with a RST to the client; the server still executes what it has got, and sees a FIN. */
    void cutRst() {
        abort();
        Closing.abruptly(client);
        up.awaitReader();
        Closing.orderly(server);
    }

    /** Ends it with a FIN to both sides if no frame has arrived for that long. */
    void cutIfIdle(long nanos) {
        if (!cut && System.nanoTime() - lastFrame.get() >= nanos) {
            cutFin();
        }
    }

    /** A subscription that was idle for too long is forgotten: neither this frame nor a later one arrives. */
    private void noteFrame() {
        long now = System.nanoTime();
        long idle = now - lastFrame.getAndSet(now);
        if (subscriber && context.rules().get().forgetsSubscriptionAfter(idle)) {
            requestsLost = true;
            repliesLost = true;
        }
    }

    void close() {
        abort();
        Closing.quietly(client);
        Closing.quietly(server);
    }

    private void abort() {
        cut = true;
        up.abort();
        down.abort();
    }

    private void connect() throws IOException {
        if (!server.isConnected()) {
            server.setTcpNoDelay(true);
            server.connect(
                    new InetSocketAddress(Ports.loopback(), context.targetPort().getAsInt()));
            threads.addAndGet(2);
            down.start();
        }
    }

    private void threadFinished() {
        if (threads.decrementAndGet() == 0) {
            Closing.quietly(client);
            Closing.quietly(server);
            context.closed().accept(this);
        }
    }

    private final class Requests implements ProxyPipe.Sink {

        @Override
        public void arrived(RespFrame frame) {
            noteFrame();
            context.seen().accept(frame.arguments());
        }

        @Override
        public void pass(RespFrame frame) throws IOException, InterruptedException {
            List<String> command = frame.arguments();
            if (requestsLost) {
                return;
            }
            Fate fate = context.requests().fateOf(command, () -> requestsLost = true);
            if (fate == Fate.NOTHING) {
                return;
            }
            connect();
            ServiceRules.Passage passage = context.rules().get().passageOf(frame);
            if (fate == Fate.HALF) {
                passage.request().writeHalfTo(server.getOutputStream());
                return;
            }
            if (RespFrame.subscribes(passage.request().arguments())) {
                subscriber = true;
            } else {
                unanswered.add(new Unanswered(command, passage.reply()));
            }
            passage.request().writeTo(server.getOutputStream());
        }

        @Override
        public void end(boolean failed) {
            if (failed) {
                cutRst();
            } else {
                Closing.orderly(server);
            }
        }

        @Override
        public void finished() {
            threadFinished();
        }
    }

    private final class Replies implements ProxyPipe.Sink {

        @Override
        public void arrived(RespFrame frame) {
            noteFrame();
        }

        @Override
        public void pass(RespFrame frame) throws IOException, InterruptedException {
            if (repliesLost) {
                return;
            }
            Runnable lost = () -> repliesLost = true;
            if (frame.isPush(subscriber)) {
                write(frame, context.replies().fateOfMessage(lost));
            } else {
                Unanswered asked = Objects.requireNonNullElse(unanswered.poll(), NONE);
                Fate fate = context.replies().fateOf(asked.command(), lost);
                write(asked.reply().apply(frame), fate);
            }
        }

        private void write(RespFrame frame, Fate fate) throws IOException {
            if (fate == Fate.ALL) {
                frame.writeTo(client.getOutputStream());
            } else if (fate == Fate.HALF) {
                frame.writeHalfTo(client.getOutputStream());
            }
        }

        @Override
        public void end(boolean failed) {
            // not before the RST of a connection that is cut
            if (!cut) {
                Closing.orderly(client);
            }
        }

        @Override
        public void finished() {
            threadFinished();
        }
    }
}
