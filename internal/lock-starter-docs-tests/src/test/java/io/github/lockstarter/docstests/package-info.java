/**
 * Compares the manual with the code. Each {@link io.github.lockstarter.docstests.ManualCheck} reads all pages and
 * reports what is wrong with their lines; {@link io.github.lockstarter.docstests.ManualTest} fails if there is
 * anything to report.
 */
package io.github.lockstarter.docstests;
