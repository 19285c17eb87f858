package io.github.lockstarter.docstests.markdown;

/**
 * A link, or an address that stands for itself.
 *
 * @param line the line of the page, counted from one
 * @param target the address, relative to the page unless it begins with a scheme
 */
public record Link(int line, String target) {

    public boolean isExternal() {
        return this.target.contains("://") || this.target.startsWith("mailto:");
    }

    /** Returns the path without the anchor; empty for a link inside the page. */
    public String path() {
        int hash = this.target.indexOf('#');
        return hash < 0 ? this.target : this.target.substring(0, hash);
    }

    /** Returns the anchor without its hash; empty if there is none. */
    public String anchor() {
        int hash = this.target.indexOf('#');
        return hash < 0 ? "" : this.target.substring(hash + 1);
    }
}
