/** Rules for alerts: they fire when they should, and the manual shows the same. */
package io.github.lockstarter.docstests.alerts;
