package io.github.lockstarter.ui;

import java.util.Collection;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;

/**
 * What the endpoint {@code locks} permits over HTTP, by its exposure and its access, which the page does not exceed. Thread-safe.
 */
final class EndpointRights {

    private static final EndpointId LOCKS = EndpointId.of("locks");

    private final ObjectProvider<WebEndpointsSupplier> endpoints;

    EndpointRights(ObjectProvider<WebEndpointsSupplier> endpoints) {
        this.endpoints = endpoints;
    }

    /** Returns whether the locks may be shown. */
    boolean toRead() {
        return permits(WebEndpointHttpMethod.GET);
    }

    /** Returns whether locks may be released. */
    boolean toRelease() {
        return permits(WebEndpointHttpMethod.DELETE);
    }

    private boolean permits(WebEndpointHttpMethod method) {
        return this.endpoints.stream()
                .map(WebEndpointsSupplier::getEndpoints)
                .flatMap(Collection::stream)
                .filter(endpoint -> endpoint.getEndpointId().equals(LOCKS))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .anyMatch(operation -> operation.getRequestPredicate().getHttpMethod() == method);
    }
}
