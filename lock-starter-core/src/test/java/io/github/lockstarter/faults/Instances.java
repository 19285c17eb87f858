package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;

/** The instances of one test, which end with it. */
final class Instances implements AutoCloseable {

    private final Deque<Instance> started = new ArrayDeque<>();

    Instance at(FaultProxy proxy) {
        return at(proxy.port(), setup -> setup);
    }

    Instance at(FaultProxy proxy, UnaryOperator<Setup> setup) {
        return at(proxy.port(), setup);
    }

    Instance at(RedisServer server) {
        return at(server.port(), setup -> setup);
    }

    Instance at(RedisServer server, UnaryOperator<Setup> setup) {
        return at(server.port(), setup);
    }

    Instance at(ShiftedRedis server, UnaryOperator<Setup> setup) {
        return at(server.port(), setup);
    }

    private Instance at(int port, UnaryOperator<Setup> setup) {
        Logging.quieten();
        Instance instance = Instance.start(port, setup.apply(new Setup()));
        this.started.push(instance);
        return instance;
    }

    @Override
    public void close() {
        while (!this.started.isEmpty()) {
            this.started.pop().close();
        }
    }
}
