/** The log lines and messages in the manual are those of the code. */
package io.github.lockstarter.docstests.messages;
