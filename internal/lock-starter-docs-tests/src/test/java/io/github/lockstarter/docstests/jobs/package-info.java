/** The long jobs of the manual, which stop when they are asked, are run. */
package io.github.lockstarter.docstests.jobs;
