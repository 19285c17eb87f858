package io.github.lockstarter.ui;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/** The header that Spring Security requires of requests that change something. */
final class CsrfHeader {

    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.security.web.csrf.CsrfToken", CsrfHeader.class.getClassLoader());

    private CsrfHeader() {}

    /** Returns the name and the value of the header; null if there is none. */
    static @Nullable Map<String, String> of(HttpServletRequest request) {
        return PRESENT && request.getAttribute("_csrf") instanceof CsrfToken token
                ? Map.of("name", token.getHeaderName(), "value", token.getToken())
                : null;
    }
}
