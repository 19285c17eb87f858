package io.github.lockstarter.sample.live;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Lets the page of one instance read and control the others on this machine, and keeps pages of other sites from doing so: a
 * browser sends {@value #HEADER} to another origin only if that one allows it.
 */
@Configuration(proxyBeanMethods = false)
class LiveWebConfiguration implements WebMvcConfigurer {

    static final String HEADER = "X-Live-Page";

    @Override
    public void addCorsMappings(CorsRegistry registry) {
        for (String path : new String[] {"/live/**", "/api/**"}) {
            registry.addMapping(path)
                    .allowedOriginPatterns("http://127.0.0.1:*", "http://localhost:*")
                    .allowedMethods("GET", "POST");
        }
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new OwnPagesOnly()).addPathPatterns("/live/**");
    }

    /** Rejects what another site's page could send, or make a browser send by giving its own name our address. */
    private static final class OwnPagesOnly implements HandlerInterceptor {

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
            if (!LoopbackOnly.HOSTS.contains(request.getServerName())) {
                throw new ResponseStatusException(
                        HttpStatus.FORBIDDEN, "Use http://127.0.0.1:" + request.getLocalPort());
            }
            if (request.getMethod().equals("POST") && request.getHeader(HEADER) == null) {
                throw new ResponseStatusException(HttpStatus.FORBIDDEN, "The header " + HEADER + " is missing");
            }
            return true;
        }
    }
}
