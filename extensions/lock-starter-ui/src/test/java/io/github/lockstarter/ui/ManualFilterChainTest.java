package io.github.lockstarter.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The filter chains of the manual permit the recipes of the manual. */
class ManualFilterChainTest {

    private static final Path ROOT = Path.of("..", "..");

    private static Instance start(Class<?> application) {
        return Instance.start(
                application, "--distributed-lock.store=memory", "--management.endpoint.locks.access=unrestricted");
    }

    private static String[] as(String user) {
        String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return new String[] {"Authorization", "Basic " + credentials};
    }

    private static String[] json(String... headers) {
        return Stream.concat(Stream.of("Content-Type", "application/json"), Stream.of(headers))
                .toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(classes = {OneChain.class, ChainOfEndpoints.class})
    void shouldPermitTheRecipesToAskForALockAndToReleaseIt(Class<?> application) throws Exception {
        try (Instance instance = start(application)) {
            Lease lease = instance.bean(LockRegistry.class).acquire(LockRequest.of("order"));

            assertThat(instance.request("POST", "/actuator/locks/order", json()).status())
                    .as("anonymous")
                    .isIn(302, 401);
            assertThat(instance.request("POST", "/actuator/locks/order", json(as("reader")))
                            .status())
                    .as("a user without the right")
                    .isEqualTo(403);
            assertThat(lease.isReleaseRequested()).isFalse();
            assertThat(instance.post("/actuator/locks/order", Map.of(), as("admin"))
                            .status())
                    .as("a form of another site")
                    .isEqualTo(415);
            assertThat(lease.isReleaseRequested()).isFalse();
            assertThat(instance.request("POST", "/actuator/locks/order", json(as("admin")))
                            .status())
                    .as("an administrator, without a CSRF token")
                    .isEqualTo(200);
            assertThat(lease.isReleaseRequested()).isTrue();
            assertThat(instance.request("DELETE", "/actuator/locks/order").status())
                    .as("anonymous")
                    .isIn(302, 401);
            assertThat(instance.request("DELETE", "/actuator/locks/order", as("reader"))
                            .status())
                    .as("a user without the right")
                    .isEqualTo(403);
            assertThat(lease.isHeld()).isTrue();
            assertThat(instance.request("DELETE", "/actuator/locks/order", as("admin"))
                            .status())
                    .as("an administrator, without a CSRF token")
                    .isEqualTo(200);
            assertThat(instance.request("DELETE", "/actuator/locks?name=order", as("admin"))
                            .status())
                    .as("with the name as a parameter")
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OneChain.class, ChainOfEndpoints.class})
    void shouldRefuseAReleaseOnThePageWithoutACsrfToken(Class<?> application) throws Exception {
        try (Instance instance = start(application)) {
            Lease lease = instance.bean(LockRegistry.class).acquire(LockRequest.of("order"));
            String[] admin = as("admin");

            assertThat(instance.post(
                                    "/locks/release",
                                    Map.of("id", Instance.id("order"), "token", Long.toString(lease.fencingToken())),
                                    admin[0],
                                    admin[1],
                                    "X-Requested-With",
                                    "test")
                            .status())
                    .isEqualTo(403);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/reference/locks-page.md", "docs/zh-CN/reference/locks-page.md"})
    void shouldTestTheChainsOfTheManual(String page) throws IOException {
        List<String> chains = Pattern.compile("@Bean\\s+SecurityFilterChain.*?\\n}", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve(page)))
                .results()
                .map(MatchResult::group)
                .map(ManualFilterChainTest::compact)
                .toList();
        String tested = compact(Files.readString(
                Path.of("src/test/java", ManualFilterChainTest.class.getName().replace('.', '/') + ".java")));

        assertThat(chains).hasSize(2).allSatisfy(chain -> assertThat(tested).contains(chain));
    }

    private static String compact(String code) {
        return code.replaceAll("\\s", "");
    }

    static class Users {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("admin")
                            .password("{noop}secret")
                            .roles("ADMIN", "OPERATOR")
                            .build(),
                    User.withUsername("reader").password("{noop}secret").roles().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OneChain extends Users {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/locks/**")
                            .authenticated()
                            .requestMatchers(HttpMethod.DELETE, "/actuator/locks/**")
                            .hasRole("ADMIN")
                            .requestMatchers(HttpMethod.POST, "/actuator/locks/**")
                            .hasRole("ADMIN")
                            .requestMatchers("/actuator/**")
                            .hasRole("OPERATOR")
                            .anyRequest()
                            .permitAll())
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/actuator/locks/**"))
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ChainOfEndpoints extends Users {

        @Bean
        SecurityFilterChain operations(HttpSecurity http) throws Exception {
            return http.securityMatcher("/actuator/**", "/locks/**")
                    .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/actuator/locks/**"))
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }
}
