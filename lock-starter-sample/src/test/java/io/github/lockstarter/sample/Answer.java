package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.util.List;
import org.springframework.http.HttpHeaders;

/** What the service answered. */
public record Answer(int status, HttpHeaders headers, String body) {

    public long number(String path) {
        return JsonPath.<Number>read(body, path).longValue();
    }

    public List<Long> numbers(String path) {
        return JsonPath.<List<Number>>read(body, path).stream()
                .map(Number::longValue)
                .toList();
    }

    public Answer assertProblem(int expectedStatus, String expectedDetail) {
        assertThat(status).as(body).isEqualTo(expectedStatus);
        assertThat(headers.getContentType()).hasToString("application/problem+json");
        assertThat(JsonPath.<String>read(body, "$.detail")).contains(expectedDetail);
        return this;
    }

    public Answer assertTryAgain(String expectedDetail) {
        assertThat(headers.getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo("1");
        return assertProblem(503, expectedDetail);
    }
}
