package io.github.lockstarter.ui;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;

/** What the endpoint {@code locks} permits over HTTP by its exposure and its access, which the page does not exceed. Thread-safe. */
final class EndpointRights {

    private static final EndpointId LOCKS = EndpointId.of("locks");

    private final ObjectProvider<WebEndpointsSupplier> endpoints;

    private final ObjectProvider<PathMappedEndpoints> paths;

    EndpointRights(ObjectProvider<WebEndpointsSupplier> endpoints, ObjectProvider<PathMappedEndpoints> paths) {
        this.endpoints = endpoints;
        this.paths = paths;
    }

    /** Returns whether the endpoint has an operation of that method, whoever asks. */
    boolean permits(WebEndpointHttpMethod method) {
        return this.endpoints.stream()
                .map(WebEndpointsSupplier::getEndpoints)
                .flatMap(Collection::stream)
                .filter(endpoint -> endpoint.getEndpointId().equals(LOCKS))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .anyMatch(operation -> operation.getRequestPredicate().getHttpMethod() == method);
    }

    /** Returns the path of the endpoint in the servlet that serves it; null if it has none. */
    @Nullable String path() {
        PathMappedEndpoints mapped = this.paths.getIfUnique();
        return mapped != null ? mapped.getPath(LOCKS) : null;
    }
}
