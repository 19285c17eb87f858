/** The properties in the manual are those of the configuration metadata. */
package io.github.lockstarter.docstests.configuration;
