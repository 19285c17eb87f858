package io.github.lockstarter.ui;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.core.env.Environment;

/**
 * What the endpoint {@code locks} permits over HTTP by its exposure and its access, which the page does not exceed.
 * Thread-safe.
 */
final class EndpointRights {

    private static final EndpointId LOCKS = EndpointId.of("locks");

    private final ObjectProvider<WebEndpointsSupplier> endpoints;

    private final ObjectProvider<PathMappedEndpoints> paths;

    private final Environment environment;

    EndpointRights(
            ObjectProvider<WebEndpointsSupplier> endpoints,
            ObjectProvider<PathMappedEndpoints> paths,
            Environment environment) {
        this.endpoints = endpoints;
        this.paths = paths;
        this.environment = environment;
    }

    /** Returns whether the endpoint has an operation of that method, for any user. */
    boolean permits(WebEndpointHttpMethod method) {
        return this.endpoints.stream()
                .map(WebEndpointsSupplier::getEndpoints)
                .flatMap(Collection::stream)
                .filter(endpoint -> endpoint.getEndpointId().equals(LOCKS))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .anyMatch(operation -> operation.getRequestPredicate().getHttpMethod() == method);
    }

    /** Returns the path of the endpoint below the context path, or {@code null} if it has none. */
    @Nullable
    String path() {
        PathMappedEndpoints mapped = this.paths.getIfUnique();
        String path = mapped != null ? mapped.getPath(LOCKS) : null;
        // On a separate port, endpoints have a separate servlet.
        return path == null || ManagementPortType.get(this.environment) != ManagementPortType.SAME
                ? path
                : this.environment.getProperty("spring.mvc.servlet.path", "").replaceFirst("/$", "") + path;
    }
}
