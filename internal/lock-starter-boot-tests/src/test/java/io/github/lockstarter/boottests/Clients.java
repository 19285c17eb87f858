package io.github.lockstarter.boottests;

import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;

/** The connections that a server has, as it lists them. */
final class Clients {

    private Clients() {}

    /** Those with that name, one line each. */
    static List<String> named(RedisCli redis, String name) {
        return String.valueOf(redis.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" name=" + name + " "))
                .toList();
    }
}
