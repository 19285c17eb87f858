/** The domain that the code of the manual uses without showing it. */
package io.github.lockstarter.docstests.shop;
