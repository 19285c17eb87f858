/** The pages as a whole: their links, their place in the index, and their translations. */
package io.github.lockstarter.docstests.structure;
