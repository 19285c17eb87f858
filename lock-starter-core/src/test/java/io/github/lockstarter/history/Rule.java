package io.github.lockstarter.history;

import java.util.List;

/** Something that must be true of every history. */
@FunctionalInterface
interface Rule {

    /** What contradicts it, each a sentence with the two events it is about. */
    List<String> violations(History history, Limits limits);
}
