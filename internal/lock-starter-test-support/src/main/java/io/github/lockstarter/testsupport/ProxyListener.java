package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Consumer;

/** Accepts connections on a port of this machine, as long as it is open. */
final class ProxyListener {

    private final ServerSocket socket;
    private final Consumer<Socket> accepted;
    private final Thread thread;

    ProxyListener(int port, Consumer<Socket> accepted) {
        this.accepted = accepted;
        this.thread = new Thread(this::run, "proxy-" + port);
        try {
            this.socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(Ports.loopback(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread.setDaemon(true);
        thread.start();
    }

    /** On return, connections are refused: the system goes on accepting them as long as the thread waits for one. */
    void close() {
        Closing.quietly(socket);
        Closing.join(thread);
    }

    private void run() {
        try {
            while (true) {
                Socket client = socket.accept();
                client.setTcpNoDelay(true);
                accepted.accept(client);
            }
        } catch (IOException e) {
            // closed
        }
    }
}
