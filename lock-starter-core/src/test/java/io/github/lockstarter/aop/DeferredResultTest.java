package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.testsupport.LogCapture;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Work that a result contains, and that runs after the release of the lock. */
class DeferredResultTest {

    private static final String WEB = "org.springframework.web.servlet.mvc.method.annotation.";

    @AutoClose
    private final LogCapture log = new LogCapture(LeasingLockRegistry.class.getName());

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        List<CompletableFuture<String>>              | a CompletableFuture inside a List
        Collection<? extends Future<String>>         | a Future inside a Collection
        Set<Callable<String>>                        | a Callable inside a Set
        Optional<CompletionStage<String>>            | a CompletionStage inside a Optional
        Optional<List<Mono<String>>>                 | a Mono inside a Optional
        Mono<Flux<String>>                           | a Flux inside a Mono
        CompletableFuture<Mono<String>>              | a Mono inside a CompletableFuture
        CompletableFuture<String>[]                  | a CompletableFuture inside a CompletableFuture[]
        List<Flux<String>[]>                         | a Flux inside a List
        Iterable<Mono<String>>                       | a Mono inside a Iterable
        Mono<List<CompletableFuture<String>>>        | a CompletableFuture inside a Mono
        <T extends Mono<String>> Optional<T>         | a Mono inside a Optional
        Flux[]                                       | a Flux inside a Flux[]
        Batch                                        | a CompletableFuture inside a Batch
        Mono<Body>                                   | a Flux inside a Mono
        HttpEntity<Flux<String>>                     | a Flux inside a HttpEntity
        ResponseEntity<Mono<String>>                 | a Mono inside a ResponseEntity
        ResponseEntity<StreamingResponseBody>        | a StreamingResponseBody inside a ResponseEntity
        ResponseEntity<List<Callable<String>>>       | a Callable inside a ResponseEntity
        Mono<ResponseEntity<Flux<String>>>           | a Flux inside a Mono
        CompletableFuture<ResponseEntity<Flux<String>>> | a Flux inside a CompletableFuture
        """)
    void shouldRejectWorkInsideOfAnotherType(String returned, String problem, @TempDir Path directory)
            throws Exception {
        assertThat(rejectionOf(returning(returned, "null", directory)))
                .hasMessageContainingAll("shop.Web.call()", problem, "would end before the work does", "acquireAsync");
    }

    /** What another type argument means is unknown, and an unbound one may be anything. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Map<String, Callable<String>>",
                "Flux<Mono<String>>",
                "List<String>",
                "ResponseEntity<List<String>>",
                "ResponseEntity<?>",
                "Names",
                "List<java.nio.file.Path>",
                "List",
                "CompletableFuture<Optional<String>>",
                "<E extends Enum<E>> List<E>",
                "<T extends Comparable<T>> Optional<T>",
                "java.util.stream.Stream<String>"
            })
    void shouldAccept(String returned, @TempDir Path directory) throws Exception {
        LockedContext.of(returning(returned, "null", directory)).close();
    }

    @Test
    void shouldResolveTypeVariables() {
        assertThat(rejectionOf(Futures.class)).hasMessageContainingAll("all()", "a CompletableFuture inside a List");
        LockedContext.of(Texts.class).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"object", "typed", "entity"})
    void shouldWarnOnceOfAMethodWhoseResultIsNotComplete(String name, @TempDir Path directory) throws Exception {
        Class<?> type = name.equals("entity")
                ? returning("ResponseEntity<?>", "new ResponseEntity<Object>(Mono.just(1))", directory)
                : Undeclared.class;
        try (LockedContext context = LockedContext.of(type)) {
            Object bean = context.getBean(type);
            for (int i = 0; i < 2; i++) {
                BeanUtils.findDeclaredMethodWithMinimalParameters(type, name.equals("entity") ? "call" : name)
                        .invoke(bean);
            }
        }

        assertThat(this.log.with("WITHOUT"))
                .singleElement()
                .asString()
                .contains(name.equals("entity") ? "shop.Web.call()" : name + "()", "acquireAsync");
    }

    @Test
    void shouldWarnOnceOfACallbackWhoseResultIsNotComplete() {
        try (LockedContext context = LockedContext.of(Undeclared.class)) {
            for (String key : List.of("a", "b")) {
                context.registry.execute(LockRequest.of("export", key), lease -> new CompletableFuture<>());
                context.registry.execute(List.of(LockRequest.of("export", key)), lease -> Flux.empty());
            }
            context.registry.execute(LockRequest.of("import"), lease -> Mono.empty());
        }

        assertThat(this.log.with("WITHOUT"))
                .as("one line for each name")
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("acquireAsync"))
                .anySatisfy(line -> assertThat(line).contains("'export'"))
                .anySatisfy(line -> assertThat(line).contains("'import'"));
    }

    @Test
    void shouldNotWarnOfACompleteResult() {
        try (LockedContext context = LockedContext.of(Undeclared.class)) {
            Undeclared bean = context.getBean(Undeclared.class);
            bean.complete();
            bean.text();
            bean.nothing();
            context.registry.execute(
                    LockRequest.of("export"), lease -> CompletableFuture.failedFuture(new Exception("on purpose")));
        }

        assertThat(this.log.with("WITHOUT")).isEmpty();
    }

    /** With the types of Spring's web support, which is not a dependency of this module. */
    private static Class<?> returning(String type, String value, Path directory) throws Exception {
        return Sources.in(directory)
                .add(
                        "org.springframework.http.HttpEntity",
                        "public class HttpEntity<T> { T body; public T getBody() { return body; } }")
                .add(
                        "org.springframework.http.ResponseEntity",
                        "public class ResponseEntity<T> extends HttpEntity<T> {"
                                + " public ResponseEntity(T body) { this.body = body; } }")
                .add(WEB + "StreamingResponseBody", "public interface StreamingResponseBody {}")
                .add(
                        "shop.Web",
                        "import java.util.*; import java.util.concurrent.*; import org.springframework.http.*;"
                                + " import reactor.core.publisher.*; import " + WEB + "*;"
                                + " public class Web { @io.github.lockstarter.DistributedLock public " + type
                                + " call() { return " + value + "; }"
                                + " public static class Batch extends ArrayList<CompletableFuture<String>> {}"
                                + " public static class Names extends ArrayList<String> {}"
                                + " public static class Body extends ResponseEntity<Flux<String>> {"
                                + " public Body() { super(null); } } }")
                .load("shop.Web");
    }

    abstract static class Base<T> {
        @DistributedLock
        public List<T> all() {
            return List.of();
        }
    }

    static class Futures extends Base<CompletableFuture<String>> {}

    static class Texts extends Base<String> {}

    @SuppressWarnings("FutureReturnValueIgnored") // the results are not declared as futures
    static class Undeclared {
        @DistributedLock
        public Object object() {
            return new CompletableFuture<>();
        }

        @DistributedLock
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        public <T> T typed() {
            return (T) Flux.just("a");
        }

        @DistributedLock
        public Object complete() {
            return CompletableFuture.completedFuture("a");
        }

        @DistributedLock
        public Object text() {
            return "a";
        }

        @DistributedLock
        public Object nothing() {
            return null;
        }
    }
}
