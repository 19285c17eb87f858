package io.github.lockstarter.ui;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.LockLog;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.json.JsonWriter;

/**
 * Serves the page and the data that it requests. All addresses are relative to the page, which works behind any prefix.
 *
 * <p>The page is a servlet and not a controller: it does not depend on the application's message converters,
 * interceptors and paths, and works without Spring MVC.
 *
 * <p>{@code GET data} answers with the next locks, by the parameters {@code cursor}, {@code text} and {@code count};
 * {@code POST release} releases the lock of the parameters {@code id} and {@code token}, and {@code POST ask} asks its
 * owners to release it, or one of them by the parameter {@code holder}. Both need a header that no form of another site
 * can send, besides the token of Spring Security where that is present.
 */
final class LocksPage extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** Locks in one answer, unless another number is asked for. */
    private static final int COUNT = 100;

    private static final int MOST = 1000;

    private static final LockLog logger = LockLog.of(LocksPage.class);

    private static final JsonWriter<Map<String, ? extends @Nullable Object>> JSON = JsonWriter.standard();

    private static final Pattern UNPAIRED_SURROGATE = Pattern.compile("\\p{Cs}");

    private static final Map<String, String> TYPES = Map.of(
            "/", "text/html",
            "/locks.css", "text/css",
            "/locks.js", "text/javascript");

    /** Paths of requests that do something, and the methods of the endpoint that do the same. */
    private static final Map<String, WebEndpointHttpMethod> ACTIONS =
            Map.of("/release", WebEndpointHttpMethod.DELETE, "/ask", WebEndpointHttpMethod.POST);

    private final transient Supplier<LocksOverview> overview;

    private final transient EndpointRights rights;

    private final transient @Nullable SpringSecurity security;

    private final transient AtomicBoolean isReported = new AtomicBoolean();

    private final String lastSegment;

    private final String application;

    /**
     * Creates the servlet.
     *
     * @param overview called for each request for data, because nothing must be created when the server starts
     * @param security the security, or {@code null} if there is none
     * @param path path of the servlet
     * @param application name of the application; may be empty
     */
    LocksPage(
            Supplier<LocksOverview> overview,
            EndpointRights rights,
            @Nullable SpringSecurity security,
            String path,
            String application) {
        this.overview = overview;
        this.rights = rights;
        this.security = security;
        this.lastSegment = path.substring(path.lastIndexOf('/') + 1);
        this.application = application;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "same-origin");
        if (!this.rights.permits(WebEndpointHttpMethod.GET)) {
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        if (!isPermitted(WebEndpointHttpMethod.GET, request)) {
            deny(response);
            return;
        }
        String path = request.getPathInfo();
        String method = request.getMethod();
        boolean isGet = method.equals("GET") || method.equals("HEAD");
        if (isGet && path == null) {
            // Relative, which sendRedirect() is not, because the path may have a prefix that only a proxy knows.
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader("Location", this.lastSegment + "/");
        } else if (isGet && TYPES.containsKey(path)) {
            sendFile(path, response);
        } else if (isGet && "/data".equals(path)) {
            answer(response, () -> data(request));
        } else if (method.equals("POST") && path != null && ACTIONS.containsKey(path)) {
            request.setCharacterEncoding(StandardCharsets.UTF_8.name());
            act(path, request, response);
        } else {
            refuse(path, response);
        }
    }

    /** Answers a request whose path or method is unknown. */
    private void refuse(@Nullable String path, HttpServletResponse response) {
        WebEndpointHttpMethod action = path != null ? ACTIONS.get(path) : null;
        if (action != null || path == null || TYPES.containsKey(path) || path.equals("/data")) {
            String post = action != null && this.rights.permits(action) ? "POST" : "";
            response.setHeader("Allow", action != null ? post : "GET, HEAD");
            response.setStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
        } else {
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    /** Returns whether the user may call such an operation of the endpoint, if it has one. */
    private boolean isPermitted(WebEndpointHttpMethod method, HttpServletRequest request) {
        String path = this.rights.path();
        return this.security == null || path == null || this.security.permits(request, method.name(), path);
    }

    private void deny(HttpServletResponse response) {
        RuntimeException denied = this.security != null ? this.security.denied() : null;
        if (denied != null) {
            throw denied;
        }
        if (this.isReported.compareAndSet(false, true)) {
            logger.warn(
                    "The locks page is refused, because no filter chain of Spring Security authenticates requests for"
                            + " its path. Add the path to the chain that is responsible for the endpoint \"locks\".");
        }
        response.setStatus(HttpServletResponse.SC_FORBIDDEN);
    }

    private static void sendFile(String path, HttpServletResponse response) throws IOException {
        response.setContentType(TYPES.get(path));
        try (InputStream file = Objects.requireNonNull(
                LocksPage.class.getResourceAsStream(path.equals("/") ? "locks.html" : path.substring(1)))) {
            file.transferTo(response.getOutputStream());
        }
    }

    private Map<String, ? extends @Nullable Object> data(HttpServletRequest request) {
        String cursor = request.getParameter("cursor");
        String text = request.getParameter("text");
        Map<String, @Nullable Object> data = this.overview.get().next(cursor, text != null ? text : "", count(request));
        data.put("application", this.application);
        data.put("mayRelease", mayAct(WebEndpointHttpMethod.DELETE, request));
        data.put("mayAsk", mayAct(WebEndpointHttpMethod.POST, request));
        data.put("csrf", this.security != null ? this.security.csrfParameter(request) : null);
        return data;
    }

    private boolean mayAct(WebEndpointHttpMethod method, HttpServletRequest request) {
        return this.rights.permits(method) && isPermitted(method, request);
    }

    private static int count(HttpServletRequest request) {
        String count = request.getParameter("count");
        if (count == null) {
            return COUNT;
        }
        if (!count.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("The parameter count is no number.");
        }
        return Math.min(Math.max(Integer.parseInt(count), 1), MOST);
    }

    private void act(String path, HttpServletRequest request, HttpServletResponse response) throws IOException {
        WebEndpointHttpMethod method = Objects.requireNonNull(ACTIONS.get(path));
        String id = request.getParameter("id");
        String token = Objects.requireNonNullElse(request.getParameter("token"), "");
        if (!this.rights.permits(method)) {
            refuse(path, response);
        } else if (!isPermitted(method, request)) {
            deny(response);
        } else if (request.getHeader("X-Requested-With") == null) {
            response.setStatus(HttpServletResponse.SC_FORBIDDEN);
        } else {
            answer(response, () -> {
                LocksOverview locks = this.overview.get();
                return Map.of(
                        "outcome",
                        method == WebEndpointHttpMethod.DELETE
                                ? locks.release(id, token)
                                : locks.ask(id, token, request.getParameter("holder")));
            });
        }
    }

    private static void answer(HttpServletResponse response, Supplier<Map<String, ? extends @Nullable Object>> data)
            throws IOException {
        Map<String, ? extends @Nullable Object> answer;
        try {
            answer = data.get();
        } catch (LockStoreException | IllegalArgumentException ex) {
            response.setStatus(
                    ex instanceof LockStoreException
                            ? HttpServletResponse.SC_SERVICE_UNAVAILABLE
                            : HttpServletResponse.SC_BAD_REQUEST);
            answer = Map.of("error", String.valueOf(ex.getMessage()));
        }
        response.setContentType("application/json");
        // UTF-8 cannot encode unpaired surrogates: each of them would become a question mark, and the name that of
        // another lock.
        response.getWriter()
                .write(UNPAIRED_SURROGATE
                        .matcher(JSON.writeToString(answer))
                        .replaceAll(found ->
                                String.format("\\\\u%04x", (int) found.group().charAt(0))));
    }
}
