package io.github.lockstarter.ui;

import jakarta.servlet.Filter;
import jakarta.servlet.Registration;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.MappingMatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.csrf.CsrfToken;

/** Provides the parts of Spring Security that the page needs, if it is present. Thread-safe. */
final class SpringSecurity {

    private final ObjectProvider<FilterChainProxy> filters;

    private final ObjectProvider<SecurityFilterChain> chains;

    /**
     * Creates the access.
     *
     * @param filters the chains with those that ignore a path; none in debug mode
     */
    SpringSecurity(ObjectProvider<FilterChainProxy> filters, ObjectProvider<SecurityFilterChain> chains) {
        this.filters = filters;
        this.chains = chains;
    }

    /**
     * Returns whether the rules permit the user of a request to send one with this method to that path, below the
     * context path. No, if another chain is responsible for that path, since its filters have not seen this request:
     * its users can be others.
     *
     * <p>A {@code WebInvocationPrivilegeEvaluator} would ask about a request that it makes up, on which matchers of
     * Spring Security 7 fail. This one differs from the present request in method and path only.
     */
    boolean permits(HttpServletRequest request, String method, String path) {
        HttpServletRequest asked = new OtherRequest(request, method, path);
        FilterChainProxy proxy = this.filters.getIfUnique();
        List<SecurityFilterChain> all = proxy != null
                ? proxy.getFilterChains()
                : this.chains.orderedStream().toList();
        SecurityFilterChain chain = responsible(all, asked);
        return chain == null
                || (chain == responsible(all, request)
                        && chain.getFilters().stream().allMatch(filter -> permits(filter, asked)));
    }

    private static @Nullable SecurityFilterChain responsible(
            List<SecurityFilterChain> all, HttpServletRequest request) {
        return all.stream().filter(chain -> chain.matches(request)).findFirst().orElse(null);
    }

    private static boolean permits(Filter filter, HttpServletRequest asked) {
        if (filter instanceof AuthorizationFilter authorization) {
            return isGranted(authorization, asked);
        }
        // That of authorizeRequests(), which Spring Security 6 has in addition to authorizeHttpRequests(), cannot be
        // asked.
        return !filter.getClass().getSimpleName().equals("FilterSecurityInterceptor");
    }

    private static boolean isGranted(AuthorizationFilter filter, HttpServletRequest asked) {
        AuthorizationResult result = filter.getAuthorizationManager()
                .authorize(() -> SecurityContextHolder.getContext().getAuthentication(), asked);
        return result == null || result.isGranted();
    }

    /**
     * Returns the exception for which Spring Security asks an anonymous user to log in, or {@code null} if no filter
     * would handle it.
     */
    @Nullable
    RuntimeException denied() {
        return SecurityContextHolder.getContext().getAuthentication() != null
                ? new AccessDeniedException("The page requires the rights for the endpoint \"locks\".")
                : null;
    }

    /**
     * Returns the name and the value of the parameter that requests need which change something, or {@code null} if
     * there is none.
     */
    @Nullable
    Map<String, String> csrfParameter(HttpServletRequest request) {
        return request.getAttribute("_csrf") instanceof CsrfToken token
                ? Map.of("name", token.getParameterName(), "value", token.getToken())
                : null;
    }

    /** A request of the same user with another method and path. */
    private static final class OtherRequest extends HttpServletRequestWrapper {

        private final String method;

        private final String path;

        /** Parsed paths, which belong to one request. */
        private final Map<String, Object> attributes = new HashMap<>();

        OtherRequest(HttpServletRequest request, String method, String path) {
            super(request);
            this.method = method;
            this.path = path;
        }

        @Override
        public String getMethod() {
            return this.method;
        }

        @Override
        public String getRequestURI() {
            return getContextPath() + this.path;
        }

        @Override
        public StringBuffer getRequestURL() {
            StringBuffer url = super.getRequestURL();
            return url.replace(url.length() - super.getRequestURI().length(), url.length(), getRequestURI());
        }

        @Override
        public String getServletPath() {
            return this.path;
        }

        @Override
        public @Nullable String getPathInfo() {
            return null;
        }

        @Override
        public HttpServletMapping getHttpServletMapping() {
            return new HttpServletMapping() {

                @Override
                public String getMatchValue() {
                    return "";
                }

                @Override
                public String getPattern() {
                    return "/";
                }

                @Override
                public String getServletName() {
                    // Its name differs on the management port.
                    return getServletContext().getServletRegistrations().values().stream()
                            .filter(servlet -> servlet.getMappings().contains("/"))
                            .map(Registration::getName)
                            .findFirst()
                            .orElse("dispatcherServlet");
                }

                @Override
                public MappingMatch getMappingMatch() {
                    return MappingMatch.DEFAULT;
                }
            };
        }

        @Override
        public @Nullable Object getAttribute(String name) {
            return this.attributes.containsKey(name) || name.startsWith("org.springframework.web.util.")
                    ? this.attributes.get(name)
                    : super.getAttribute(name);
        }

        @Override
        public void setAttribute(String name, @Nullable Object value) {
            this.attributes.put(name, value);
        }

        @Override
        public void removeAttribute(String name) {
            this.attributes.remove(name);
        }
    }
}
