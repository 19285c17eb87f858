/** The page of proof: its numbers are those of the project, and its defects are those of the history. */
package io.github.lockstarter.docstests.verification;
