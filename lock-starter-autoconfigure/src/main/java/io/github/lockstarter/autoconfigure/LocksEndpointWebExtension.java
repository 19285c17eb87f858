package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockStoreException;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** Reports a release or a request that failed with HTTP status 503, because a repetition may succeed. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
final class LocksEndpointWebExtension {

    private final LocksEndpoint endpoint;

    LocksEndpointWebExtension(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @DeleteOperation
    @SuppressWarnings("deprecation") // see LocksEndpoint
    WebEndpointResponse<Object> release(String name, @Nullable String holder) {
        return answer(name, () -> this.endpoint.release(name, holder));
    }

    @DeleteOperation
    @SuppressWarnings("deprecation") // see LocksEndpoint
    WebEndpointResponse<Object> releaseAtPath(
            @Selector(match = Match.ALL_REMAINING) String[] name, @Nullable String holder) {
        return release(String.join("/", name), holder);
    }

    @WriteOperation
    @SuppressWarnings("deprecation") // see LocksEndpoint
    WebEndpointResponse<Object> requestRelease(String name, @Nullable String holder) {
        return answer(name, () -> this.endpoint.requestRelease(name, holder));
    }

    @WriteOperation
    @SuppressWarnings("deprecation") // see LocksEndpoint
    WebEndpointResponse<Object> requestReleaseAtPath(
            @Selector(match = Match.ALL_REMAINING) String[] name, @Nullable String holder) {
        return requestRelease(String.join("/", name), holder);
    }

    private static WebEndpointResponse<Object> answer(String name, Supplier<OperationResponseBody> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (LockStoreException ex) {
            return new WebEndpointResponse<>(
                    OperationResponseBody.of(Map.of("name", name, "error", ex.getMessage())),
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }
}
