/** The Java code of the manual compiles. */
package io.github.lockstarter.docstests.java;
