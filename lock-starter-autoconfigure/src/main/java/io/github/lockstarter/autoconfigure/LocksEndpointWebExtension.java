package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockStoreException;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** Reports a forced release that failed with HTTP status 503, because a repetition may succeed. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
final class LocksEndpointWebExtension {

    private final LocksEndpoint endpoint;

    LocksEndpointWebExtension(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @DeleteOperation
    @SuppressWarnings("deprecation") // see LocksEndpoint
    WebEndpointResponse<Object> release(String name, @Nullable String holder) {
        try {
            return new WebEndpointResponse<>(this.endpoint.release(name, holder));
        } catch (LockStoreException ex) {
            return new WebEndpointResponse<>(
                    OperationResponseBody.of(Map.of("name", name, "error", ex.getMessage())),
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    @DeleteOperation
    @SuppressWarnings("deprecation") // see LocksEndpoint
    WebEndpointResponse<Object> releaseAtPath(
            @Selector(match = Match.ALL_REMAINING) String[] name, @Nullable String holder) {
        return release(String.join("/", name), holder);
    }
}
