package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockInterruptedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DistributedLockInterceptorTest {

    private final LockedContext context = LockedContext.of(Work.class, Outer.class, Inner.class);

    private final Work work = this.context.getBean(Work.class);

    @AfterEach
    void close() {
        this.context.close();
        assertThat(Thread.interrupted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource
    void shouldPropagateExceptionsOfTheMethod(Throwable thrown) {
        assertThat(catchThrowable(() -> this.work.run(thrown))).isSameAs(thrown);
        assertThat(thrown.getSuppressed()).isEmpty();
        assertThat(this.context.registry.events).containsExactly("lock Work.run", "unlock Work.run");
    }

    static List<Throwable> shouldPropagateExceptionsOfTheMethod() {
        return List.of(
                new IllegalStateException(),
                new IOException(),
                new Exception(),
                new AssertionError(),
                new Throwable(),
                new InterruptedException());
    }

    @Test
    void shouldReturnTheResultOfTheMethod() {
        assertThat(this.work.echo(null)).isNull();
        assertThat(this.work.echo("a")).isEqualTo("a");
    }

    @Test
    void shouldThrowInterruptedExceptionIfTheMethodDeclaresIt() {
        this.context.registry.interruptsWaits = true;

        assertThatThrownBy(this.work::declaring)
                .isExactlyInstanceOf(InterruptedException.class)
                .hasMessage("while waiting");
        assertThat(Thread.interrupted()).isFalse();
        assertThatThrownBy(this.work::declaringMore).isExactlyInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void shouldThrowLockInterruptedExceptionIfItDoesNot() {
        this.context.registry.interruptsWaits = true;

        assertThatThrownBy(() -> this.work.echo("a"))
                .isExactlyInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("lock 'Work.echo'")
                .hasMessageContaining(Work.class.getName() + ".echo(String)")
                .hasCauseExactlyInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void shouldDistinguishAnInterruptOfTheMethodFromOneOfTheWait() {
        InterruptedException thrown = new InterruptedException("in the body");

        assertThat(catchThrowable(() -> this.work.undeclared(thrown)))
                .rootCause()
                .isSameAs(thrown);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void shouldExposeTheLeaseOfTheInnermostMethod() {
        List<String> seen = this.context.getBean(Outer.class).run();

        assertThat(seen).containsExactly("Outer.run 1", "Inner.run 2", "Outer.run 1");
        assertThat(LeaseContext.current()).isEmpty();
    }

    @Test
    void shouldRemoveTheLeaseWhenTheMethodThrows() {
        assertThatThrownBy(() -> this.work.run(new IOException())).isInstanceOf(IOException.class);

        assertThat(LeaseContext.current()).isEmpty();
    }

    static class Work {

        @DistributedLock
        public void run(Throwable thrown) throws Throwable {
            throw thrown;
        }

        @DistributedLock
        public String echo(String text) {
            return text;
        }

        @DistributedLock
        public void declaring() throws InterruptedException {}

        @DistributedLock
        public void declaringMore() throws Exception {}

        @DistributedLock
        public void undeclared(Exception thrown) {
            throw Work.<RuntimeException>asItIs(thrown);
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <E extends Throwable> E asItIs(Throwable thrown) throws E {
            throw (E) thrown;
        }
    }

    static class Outer {

        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @DistributedLock
        public List<String> run() {
            List<String> seen = new ArrayList<>();
            seen.add(current());
            seen.addAll(this.inner.run());
            seen.add(current());
            return seen;
        }
    }

    static class Inner {

        @DistributedLock
        public List<String> run() {
            return List.of(current());
        }
    }

    private static String current() {
        return LeaseContext.required().name() + ' ' + LeaseContext.required().fencingToken();
    }
}
