package io.github.lockstarter.docstests.jobs;

import java.util.List;

/** The reports that a job writes chapter by chapter, as the manual assumes them. */
interface Reports {

    List<String> openChapters(String id);

    void write(String chapter, long token);

    void save(String id, String next);
}
