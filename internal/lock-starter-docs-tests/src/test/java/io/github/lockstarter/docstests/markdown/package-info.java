/** The parts of a page that is written in Markdown, with the lines in which they stand. */
package io.github.lockstarter.docstests.markdown;
