package io.github.lockstarter.faults;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** How much is logged. */
final class Logging {

    private Logging() {}

    /** Whoever loses connections and leases all the time has a lot to say, and tests look at other things. */
    static void quieten() {
        logger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
        logger("io.lettuce").setLevel(Level.OFF);
        if (logger("io.github.lockstarter").getLevel() == null) {
            logger("io.github.lockstarter").setLevel(Level.OFF);
        }
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }
}
