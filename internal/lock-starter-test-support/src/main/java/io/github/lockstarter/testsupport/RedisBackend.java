package io.github.lockstarter.testsupport;

/** How a Redis server is run. Calls come in a sensible order: {@link RedisServer} sees to that. */
interface RedisBackend {

    /** Starts it, on a free port the first time and on the same one ever after, and waits until it answers. */
    void start();

    int port();

    long pid();

    boolean isRunning();

    /** Asks it to end, and waits for that. */
    void stop();

    /** Ends it as a power cut would. */
    void kill();

    void pause();

    void resume();

    /** Removes what is left of it, dead or alive. */
    void remove();

    /** What it is, for the log. */
    String describe();
}
