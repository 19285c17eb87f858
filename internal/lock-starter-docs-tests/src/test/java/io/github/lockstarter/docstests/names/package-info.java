/** The names in backticks exist: properties, meters, classes and methods. */
package io.github.lockstarter.docstests.names;
