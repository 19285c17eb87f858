package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ui.Instance.Answer;
import jakarta.servlet.DispatcherType;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The page with Spring Security, whose rules for the endpoint apply to the page as well. */
class SecuredPageTest {

    private static Instance instance;

    private static LockRegistry registry;

    @BeforeAll
    static void start() {
        instance = Instance.start(
                SecuredApplication.class,
                "--distributed-lock.store=memory",
                "--server.servlet.context-path=/app",
                "--management.endpoint.locks.access=unrestricted");
        registry = instance.bean(LockRegistry.class);
    }

    @AfterAll
    static void stop() {
        instance.close();
    }

    private static String[] as(String user, String... more) {
        String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return Stream.concat(Stream.of("Authorization", "Basic " + credentials), Stream.of(more))
                .toArray(String[]::new);
    }

    /** Releases a lock, with the CSRF token of the data, if there are any. */
    private static Answer release(Lease lease, Answer data, String... headers) {
        return post("/app/locks/release", lease, data, headers);
    }

    private static Answer post(String path, Lease lease, Answer data, String... headers) {
        Map<String, String> parameters =
                new HashMap<>(Map.of("id", Instance.id(lease.name()), "token", Long.toString(lease.fencingToken())));
        if (data != null) {
            parameters.put(data.at("$.csrf.name"), data.at("$.csrf.value"));
        }
        return instance.post(path, parameters, headers);
    }

    @Test
    void shouldAskAnonymousUsersToLogIn() {
        for (String path : List.of("/app/locks/", "/app/locks/data", "/app/locks/locks.js")) {
            assertThat(instance.get(path).status()).as(path).isEqualTo(401);
        }
    }

    @Test
    void shouldRefuseUsersWithoutTheRightsOfTheEndpoint() {
        assertThat(instance.get("/app/locks/", as("stranger")).status()).isEqualTo(403);
        assertThat(instance.get("/app/locks/data", as("stranger")).status()).isEqualTo(403);
    }

    @Test
    void shouldLetReadersReadOnly() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("read"));
        Answer data = instance.get("/app/locks/data", as("reader"));
        assertThat(data.status()).isEqualTo(200);
        assertThat(data.<Boolean>at("$.mayRelease")).isFalse();
        assertThat(data.<Boolean>at("$.mayAsk")).isFalse();

        Answer refused = release(lease, data, as("reader", "X-Requested-With", "test"));

        assertThat(refused.status()).isEqualTo(403);
        assertThat(post("/app/locks/ask", lease, data, as("reader", "X-Requested-With", "test"))
                        .status())
                .isEqualTo(403);
        assertThat(lease.isReleaseRequested()).isFalse();
        assertThat(lease.release()).as("still held").isTrue();
    }

    @Test
    void shouldReleaseWithTheTokenAgainstForgedRequestsOnly() throws Exception {
        Lease lease = registry.acquire(LockRequest.of("write"));
        Answer data = instance.get("/app/locks/data", as("operator"));
        assertThat(data.<Boolean>at("$.mayRelease")).isTrue();

        assertThat(release(lease, null, as("operator", "X-Requested-With", "test"))
                        .status())
                .as("without the token")
                .isEqualTo(403);
        assertThat(post("/app/locks/ask", lease, null, as("operator", "X-Requested-With", "test"))
                        .status())
                .as("a request without the token")
                .isEqualTo(403);
        assertThat(lease.isReleaseRequested()).isFalse();
        assertThat(post("/app/locks/ask", lease, data, as("operator", "X-Requested-With", "test"))
                        .<String>at("$.outcome"))
                .isEqualTo("ASKED");
        assertThat(lease.isHeld()).isTrue();
        Answer released = release(lease, data, as("operator", "X-Requested-With", "test"));
        assertThat(released.status()).isEqualTo(200);
        assertThat(released.<String>at("$.outcome")).isEqualTo("RELEASED");
    }

    @Test
    void shouldRefuseTheUsersOfAnotherFilterChain() throws Exception {
        try (Instance shop = Instance.start(
                ApplicationWithCustomers.class,
                "--distributed-lock.store=memory",
                "--management.endpoint.locks.access=unrestricted")) {
            shop.bean(LockRegistry.class).acquire(LockRequest.of("secret"));

            assertThat(shop.get("/actuator/locks", as("customer")).status()).isEqualTo(401);
            assertThat(shop.get("/locks/data", as("customer")).status()).isEqualTo(403);
            assertThat(shop.post(
                                    "/locks/release",
                                    Map.of("id", Instance.id("secret")),
                                    as("customer", "X-Requested-With", "test"))
                            .status())
                    .isEqualTo(403);
            assertThat(shop.get("/locks/data").status()).as("anonymous").isEqualTo(401);
        }
    }

    /** Customers and operators are different users, of different chains. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ApplicationWithCustomers {

        @Bean
        @Order(1)
        SecurityFilterChain operators(HttpSecurity http) throws Exception {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .userDetailsService(new InMemoryUserDetailsManager())
                    .build();
        }

        @Bean
        @Order(2)
        SecurityFilterChain customers(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(CsrfConfigurer::disable)
                    .userDetailsService(new InMemoryUserDetailsManager(User.withUsername("customer")
                            .password("{noop}secret")
                            .roles()
                            .build()))
                    .build();
        }
    }

    /** The path of the page itself is open: what protects it are the rules for the endpoint. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SecuredApplication {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
                            .permitAll()
                            .requestMatchers("/locks/**")
                            .permitAll()
                            .requestMatchers(HttpMethod.GET, "/actuator/locks/**")
                            .hasAnyRole("READER", "OPERATOR")
                            .requestMatchers("/actuator/locks/**")
                            .hasRole("OPERATOR")
                            .anyRequest()
                            .denyAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("stranger")
                            .password("{noop}secret")
                            .roles()
                            .build(),
                    User.withUsername("reader")
                            .password("{noop}secret")
                            .roles("READER")
                            .build(),
                    User.withUsername("operator")
                            .password("{noop}secret")
                            .roles("OPERATOR")
                            .build());
        }
    }
}
