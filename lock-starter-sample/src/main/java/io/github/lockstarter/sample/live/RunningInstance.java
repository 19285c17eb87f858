package io.github.lockstarter.sample.live;

/**
 * An instance of this service on this machine.
 *
 * @param port where it listens
 * @param pid id of its process
 * @param silentFor milliseconds since its last sign of life
 */
record RunningInstance(int port, long pid, long silentFor) {}
