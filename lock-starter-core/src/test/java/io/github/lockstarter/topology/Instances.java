package io.github.lockstarter.topology;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The instances of one test, which end with it. */
final class Instances implements AutoCloseable {

    static {
        // whoever loses servers all the time has a lot to say, and tests look at other things
        logger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
        logger("io.lettuce").setLevel(Level.OFF);
        logger("io.netty").setLevel(Level.OFF);
    }

    private final Deque<Instance> started = new ArrayDeque<>();

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    Instance at(LettuceConnectionFactory servers, Pace pace) {
        Instance instance = Instance.start(servers, pace);
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
