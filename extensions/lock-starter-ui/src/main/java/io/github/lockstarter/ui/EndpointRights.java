package io.github.lockstarter.ui;

import java.util.Collection;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;

/**
 * What the endpoint {@code locks} permits over HTTP, which the page does not exceed: by its exposure, by its access and, on the
 * port of the application, by the rules of Spring Security for its path. Thread-safe.
 *
 * <p>Rules for a separate port cannot be asked about from here: those for the path of the page apply there.
 */
final class EndpointRights {

    private static final EndpointId LOCKS = EndpointId.of("locks");

    private final ApplicationContext context;

    EndpointRights(ApplicationContext context) {
        this.context = context;
    }

    /** Returns whether the endpoint has an operation of that method, whoever asks. */
    boolean permits(WebEndpointHttpMethod method) {
        return this.context
                .getBeanProvider(WebEndpointsSupplier.class)
                .stream()
                .map(WebEndpointsSupplier::getEndpoints)
                .flatMap(Collection::stream)
                .filter(endpoint -> endpoint.getEndpointId().equals(LOCKS))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .anyMatch(operation -> operation.getRequestPredicate().getHttpMethod() == method);
    }

    /** Returns whether the user of the present request may send such a request to the endpoint. */
    boolean permits(WebEndpointHttpMethod method, String contextPath) {
        Environment environment = this.context.getEnvironment();
        if (!permits(method)) {
            return false;
        }
        if (!SpringSecurity.PRESENT || ManagementPortType.get(environment) != ManagementPortType.SAME) {
            return true;
        }
        String servlet = environment.getProperty("spring.mvc.servlet.path", "").replaceFirst("/$", "");
        String path = this.context.getBean(PathMappedEndpoints.class).getPath(LOCKS);
        return SpringSecurity.permits(this.context, contextPath, servlet + path, method.name());
    }
}
