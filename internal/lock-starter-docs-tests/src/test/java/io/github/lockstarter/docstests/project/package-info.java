/** What the manual refers to in the project: its files, modules, literals and mappings, read from the sources. */
package io.github.lockstarter.docstests.project;
