package io.github.lockstarter.ui;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.access.WebInvocationPrivilegeEvaluator;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/** What the page needs of Spring Security. Methods are called only if it is present. */
final class SpringSecurity {

    static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.security.web.access.WebInvocationPrivilegeEvaluator",
            SpringSecurity.class.getClassLoader());

    private SpringSecurity() {}

    /** Returns whether the rules for a path permit the user of the present request to send such a request there. */
    static boolean permits(ApplicationContext context, String contextPath, String path, String method) {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        return context.getBeanProvider(WebInvocationPrivilegeEvaluator.class).stream()
                .allMatch(rules -> rules.isAllowed(contextPath, path, method, user));
    }

    /** Returns the exception that makes Spring Security ask an anonymous user to log in; null: nobody would handle it. */
    static @Nullable RuntimeException denied() {
        return SecurityContextHolder.getContext().getAuthentication() != null
                ? new AccessDeniedException("The page needs the rights of the endpoint.")
                : null;
    }

    /** Returns the name and the value of the header that requests need which change something; null: none. */
    static @Nullable Map<String, String> csrfHeader(HttpServletRequest request) {
        return request.getAttribute("_csrf") instanceof CsrfToken token
                ? Map.of("name", token.getHeaderName(), "value", token.getToken())
                : null;
    }
}
