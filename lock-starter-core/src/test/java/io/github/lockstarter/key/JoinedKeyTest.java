package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.InvalidLockKeyException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** A null operand would be joined as the text "null", so that all calls without a value would share a lock. */
class JoinedKeyTest {

    private static final Order NO_ID = new Order(null);

    private final Beans beans = new Beans();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '~', textBlock = """
        'order-' + #none                              | #none
        #none + '-order'                              | #none
        ('a' + (#none + #id)) + 'b'                   | #none
        'a' + #order.id                               | #order.id
        'a' + #missing?.id?.length                    | #missing?.id?.length
        'a' + #tags['colour']                         | #tags['colour']
        'a' + @beans.nothing()                        | @beans.nothing()
        'a' + (#count > 5 ? #none : #id)              | ((#count > 5) ? #none : #id)
        'a' + (#count > 5 ? 'b' + #none : #id)        | #none
        {'a-' + #id, 'b-' + #none}                    | #none
        #count > 5 ? 'a' + #none : #id                | #none
        #count > 5 ? {#id, 'a' + #none} : #id         | #none
        ('a' + #none) ?: #id                          | #none
        'a' + null                                    | null
        'a-%s-%d'.formatted(#order.id, #count)        | an argument of formatted
        'a' + #none?.toString()                       | #none?.toString()
        """)
    void shouldRejectANullOperand(String key, String operand) {
        assertThatThrownBy(() -> evaluate(key))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"" + key + "\" of " + getClass().getName() + ".run(")
                .hasMessageContaining(" joins " + operand + ", which is null")
                .hasMessageContaining("all calls without a value would share one lock");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '~', textBlock = """
        'a' + (#none ?: 'b')                          | ab
        'a' + (#order?.id ?: 'b') + 'c'               | abc
        #none == null ? 'none' : 'order-' + #none     | none
        #id ?: 'a' + #none                            | 42
        #count + #more + ':' + #id                    | 9:42
        #id + ':' + (#count + #more)                  | 42:9
        -#count + 'a'                                 | -6a
        'x' + @beans.next() + @beans.next()           | x12
        (@beans.next() + '-' + @beans.next()).trim()  | 1-2
        'a-%s-%03d'.formatted(#id, #count)            | a-42-006
        'a-%s'.formatted(@beans.next())               | a-1
        'a' + {#id, #count}.toString() + '-x'         | a[42, 6]-x
        'a' + @beans.next().toString() + 'b'          | a1b
        #id.toString().concat('b').toString()         | 42b
        (#none?.toString() ?: 'none') + 'a'           | nonea
        """)
    void shouldJoin(String key, String text) {
        assertThat(evaluate(key)).containsExactly(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#id + ':' + #unstable",
                "'order ' + #unstable.toString() + '-x'",
                "'order %s'.formatted(#unstable)",
                "'order '.concat(#unstable)",
                "'order '.concat(#unstable.toString())",
                "'order ' + {#id, #unstable}.toString()"
            })
    void shouldRejectAnOperandWithoutAStableText(String key) {
        assertThatThrownBy(() -> evaluate(key))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"" + key + "\" of ")
                .hasMessageContaining("java.lang.Object, whose text differs between JVMs");
    }

    @Test
    void shouldChooseAsSpelDoes() {
        assertThat(evaluate("#some ?: 'a' + #none")).containsExactly("present");
        assertThat(evaluate("#id.substring(2) ?: 'none'"))
                .as("key of a text that is empty, with a default")
                .containsExactly("none");
        assertThatThrownBy(() -> evaluate("#none ? 'a' : 'b'"))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("cannot be evaluated");
    }

    @Test
    void shouldJoinInLists() {
        assertThat(evaluate("{'a-' + #id, 'b-' + @beans.next(), 'c'}")).containsExactly("a-42", "b-1", "c");
        assertThat(evaluate("#orders.!['a' + (id ?: 'b')]")).containsExactly("a1", "ab");
        assertThat(evaluate("#orders.?['a' + id == 'a1'].![id]")).containsExactly("1");
    }

    @Test
    void shouldEvaluateEachOperandOnceAndNoneAfterANull() {
        assertThatThrownBy(() -> evaluate("@beans.next() + #none + @beans.next()"))
                .hasMessageContaining("#none");

        assertThat(this.beans.calls.get()).isEqualTo(1);
    }

    private Collection<String> evaluate(String key) {
        return parse(key).keys(null, arguments());
    }

    private static Object[] arguments() {
        return new Object[] {
            null,
            "42",
            6,
            3,
            NO_ID,
            null,
            Map.of(),
            List.of(new Order("1"), NO_ID),
            Optional.of("present"),
            new Object()
        };
    }

    private CallExpression parse(String key) {
        Method run = BeanUtils.findDeclaredMethodWithMinimalParameters(getClass(), "run");
        DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
        factory.registerSingleton("beans", this.beans);
        return new Expressions(() -> factory).key(new TestSite(getClass(), run), key, run);
    }

    void run(
            String none,
            String id,
            int count,
            Integer more,
            Order order,
            Order missing,
            Map<String, String> tags,
            List<Order> orders,
            Optional<String> some,
            Object unstable) {}

    record Order(String id) {}

    static final class Beans {

        private final AtomicInteger calls = new AtomicInteger();

        public int next() {
            return this.calls.incrementAndGet();
        }

        public Object nothing() {
            return null;
        }
    }
}
