package io.github.lockstarter.aop;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import org.springframework.core.annotation.MergedAnnotation;

/** Reads how many permits one annotation requests, and how many there are: a number or a text with placeholders. */
final class PermitAttributes {

    private static final LockRequest PROBE = LockRequest.of("probe");

    private final LockSite site;

    private final MergedAnnotation<?> annotation;

    private final Placeholders placeholders;

    PermitAttributes(LockSite site, MergedAnnotation<?> annotation, Placeholders placeholders) {
        this.site = site;
        this.annotation = annotation;
        this.placeholders = placeholders;
    }

    /** Returns the permits of a call. */
    LockUse use() {
        int number = this.annotation.getInt("permits");
        String text = this.annotation.getString("permitsString");
        if (text.isEmpty()) {
            if (number == 0) {
                throw this.site.rejection(
                        "permits is not set",
                        "Set permits, or permitsString with a placeholder such as ${exports.permits}: the number of"
                                + " permits that all holders in all JVMs may have together.");
            }
            return use("permits = " + number, number);
        }
        if (number != 0) {
            throw this.site.rejection(
                    "permits and permitsString are both set", "Remove one of them; both set the same value.");
        }
        String resolved = this.placeholders.resolve(this.site, "permitsString", text);
        String shown =
                "permitsString = \"" + text + '"' + (resolved.equals(text) ? "" : ", which is \"" + resolved + "\",");
        return use(shown, parse(resolved, shown));
    }

    private LockUse use(String shown, int permits) {
        try {
            PROBE.withPermits(1, permits);
        } catch (IllegalArgumentException ex) {
            throw this.site.rejection(shown + " is out of range", "Use a number from 1 to 999999999.", ex);
        }
        int weight = this.annotation.getInt("weight");
        if (weight < 1) {
            throw this.site.rejection("weight = " + weight + " is out of range", "Use at least 1.");
        }
        if (weight > permits) {
            throw this.site.rejection(
                    "weight = " + weight + " can never be granted, because " + shown + " is less",
                    "Use a weight of at most the number of permits.");
        }
        return new LockUse(LockMode.PERMIT, weight, permits);
    }

    private int parse(String resolved, String shown) {
        try {
            return Integer.parseInt(resolved);
        } catch (NumberFormatException ex) {
            throw this.site.rejection(
                    shown + " is not a number of permits",
                    "Set the text, or the property of its placeholder, to a number from 1 to 999999999.",
                    ex);
        }
    }
}
