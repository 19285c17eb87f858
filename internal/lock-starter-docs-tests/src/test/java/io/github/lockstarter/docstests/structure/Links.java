package io.github.lockstarter.docstests.structure;

import io.github.lockstarter.docstests.Manual;
import io.github.lockstarter.docstests.ManualCheck;
import io.github.lockstarter.docstests.Problem;
import io.github.lockstarter.docstests.Resources;
import io.github.lockstarter.docstests.markdown.Link;
import io.github.lockstarter.docstests.markdown.Page;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Links lead to files and headings that exist. Addresses of the web are not fetched: they have HTTPS and one of the
 * known hosts, so that a mistyped or a new one is noticed.
 */
public final class Links implements ManualCheck {

    private static final Set<String> HOSTS = Set.copyOf(Resources.list("hosts.txt"));

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost");

    @Override
    public List<Problem> check(Manual manual) {
        return manual.pages().stream()
                .flatMap(page -> page.links().stream()
                        .flatMap(link ->
                                problem(manual, page, link).map(text -> Problem.at(page, link.line(), text)).stream()))
                .toList();
    }

    private static Optional<String> problem(Manual manual, Page page, Link link) {
        return link.isExternal() ? external(link) : internal(manual, page, link);
    }

    private static Optional<String> external(Link link) {
        URI address;
        try {
            address = URI.create(link.target());
        } catch (IllegalArgumentException ex) {
            return Optional.of("no address: " + ex.getMessage());
        }
        if (LOOPBACK.contains(address.getHost())) {
            return Optional.empty();
        }
        if (!"https".equals(address.getScheme())) {
            return Optional.of("not https: " + address);
        }
        return HOSTS.contains(address.getHost())
                ? Optional.empty()
                : Optional.of("unknown host " + address.getHost() + "; if it is right, add it to hosts.txt");
    }

    private static Optional<String> internal(Manual manual, Page page, Link link) {
        String path = page.resolve(link.path());
        if (path.startsWith("..") || !manual.exists(path)) {
            return Optional.of("there is no file " + path);
        }
        Optional<Page> target = manual.page(path);
        boolean missing = !link.anchor().isEmpty()
                && target.isPresent()
                && !target.get().anchors().contains(link.anchor());
        return missing ? Optional.of("there is no heading #" + link.anchor() + " in " + path) : Optional.empty();
    }
}
