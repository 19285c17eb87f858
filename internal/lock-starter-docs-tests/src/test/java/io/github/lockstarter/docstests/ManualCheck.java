package io.github.lockstarter.docstests;

import java.util.List;

/** Compares all pages of the manual with one part of the code, or with each other. */
@FunctionalInterface
public interface ManualCheck {

    /** Returns what is wrong, in any order. */
    List<Problem> check(Manual manual);
}
