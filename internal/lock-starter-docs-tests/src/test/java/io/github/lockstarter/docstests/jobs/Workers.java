package io.github.lockstarter.docstests.jobs;

/** The threads of an application, as the manual assumes them. */
interface Workers {

    void stopAfterThisStep(String lockName);
}
