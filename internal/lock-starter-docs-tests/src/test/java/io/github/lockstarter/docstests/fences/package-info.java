/** Fences of other languages than Java: what they name exists. */
package io.github.lockstarter.docstests.fences;
