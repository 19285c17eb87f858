/** Histories of this library in worker processes under faults. Checker and troubles are those of all libraries. */
package io.github.lockstarter.history;
