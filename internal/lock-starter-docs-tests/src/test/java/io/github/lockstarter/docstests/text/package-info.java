/** The language of the manual. */
package io.github.lockstarter.docstests.text;
