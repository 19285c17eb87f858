package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.LockedContext;
import io.github.lockstarter.aop.Sources;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeySyntaxTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#id",
                "#order.id",
                "#order?.id",
                "#order.getId()",
                "#order.items[0]",
                "#order.tags['colour']",
                "#a0.id",
                "#p1",
                "@tenants.current()",
                "@tenants.of(#order)",
                "'orders'",
                "'desk #1'",
                "'#other'",
                "'#{'",
                "#id.replace('#id', '#{id}')",
                "#id == '#id' ? 'a' : 'b'",
                "42",
                "#id + ':' + #order.id",
                "#id ?: 'none'",
                "#count > 5 ? 'large' : #id",
                "#count > 5 ? {#id, #order.id} : {#id}",
                "#count > 5 ? {#id, 'all'} : #count > 1 ? {#id} : 'none'",
                "#order.tags['all'] ?: {#id, 'none'}",
                "#order.items.^[price > 5].name",
                "#order.items.![name][0]",
                "#order.items.^[#this.price > #count].name",
                "#root.method.name",
                "#root.target.region + #id",
                "#root?.target.region"
            })
    void shouldAccept(String key) {
        assertThat(parse(key)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '~', textBlock = """
                    #oder            | #oder                  | #order (#a0), #id (#a1), #count (#a2), #root.method, #root.target
                    #a3              | #a3                    | #count (#a2)
                    #id + #p7        | #p7                    | #count (#a2)
                    #order.items[#i] | #i                     | #count (#a2)
                    #this            | #this                  | #count (#a2)
                    {#id, #oder}     | #oder                  | #order (#a0)
                    #count > 5 ? {#id} : {#oder} | #oder      | #order (#a0)
                    #root.args[0]    | 'args'                 | getTarget
                    #root.tostring() | 'tostring'             | getTarget
                    T(java.lang.Math).random()   | T(…)       | bean (@name)
                    #count instanceof T(Integer) | T(…)       | bean (@name)
                    new java.util.Date()         | new        | bean (@name)
                    #f(#id)          | functions              | bean (@name)
                    #order.id = 5    | change                 | assignments
                    #order.count++   | change                 | ++
                    --#order.count   | change                 | ++
                    {#id, orders}    | orders                 | #order (#a0)
                    {id, count}      | id                     | #id (#a1)
                    #id + orders     | orders                 | quoted
                    orders           | orders                 | quoted
                    order-lock       | order                  | quoted
                    order.id         | order                  | #order (#a0)
                    method.name      | method                 | #root.method
                    #order.tags[colour] | colour              | quoted
                    current()        | current()              | @
                    [0]              | [0]                    | #order (#a0)
                    #order.          | not a SpEL expression  | Quote
                    order 42         | not a SpEL expression  | Quote
                    orders:#id       | not a SpEL expression  | +
                    #{#id}           | not a SpEL expression  | #{
                    order-#{#id}     | not a SpEL expression  | #{
                    ${region}-#{#id} | placeholders           | @environment
                    '${region}-' + #id | placeholders         | @environment
                    """)
    void shouldReject(String key, String problem, String remedy) {
        assertThatThrownBy(() -> parse(key))
                .isInstanceOfSatisfying(
                        InvalidLockDefinitionException.class,
                        rejection -> assertThat(rejection.remedy()).contains(remedy))
                .hasMessageContaining("@DistributedLock on " + getClass().getName() + ".ship(Order, String, int)")
                .hasMessageContaining("key = \"" + key + '"')
                .hasMessageContaining(problem);
    }

    @Test
    void shouldRejectABlankKey() {
        assertThatThrownBy(() -> parse(" ")).hasMessageContaining("blank");
    }

    @Test
    void shouldReportMissingParameterNames(@TempDir Path directory) throws Exception {
        Class<?> bean = Sources.in(directory)
                .add(
                        "shop.Nameless",
                        "public class Nameless { @io.github.lockstarter.DistributedLock(\"#id\")"
                                + " public void run(String id) {} }")
                .load("shop.Nameless");

        assertThat(LockedContext.rejectionOf(bean))
                .hasMessageContaining("@DistributedLock on shop.Nameless.run(String)")
                .hasMessageContaining("there is not a variable #id")
                .hasMessageContaining("Available variables: #a0, #root.method")
                .hasMessageContaining("compile it with -parameters");
    }

    @Test
    void shouldRejectAtStart() {
        assertThat(LockedContext.rejectionOf(Misspelt.class)).hasMessageContaining("there is not a variable #oderId");
    }

    @Test
    void shouldRejectAClassLevelKeyThatDoesNotFitAllMethods() {
        assertThat(LockedContext.rejectionOf(ClassLevelKey.class))
                .hasMessageContaining("ClassLevelKey.other()")
                .hasMessageContaining("there is not a variable #id");
    }

    private static KeyExpression parse(String key) {
        return parse(key, method("ship"));
    }

    private static KeyExpression parse(String key, Method method) {
        return new Expressions(() -> null).key(new TestSite(KeySyntaxTest.class, method), key, method);
    }

    private static Method method(String name) {
        return Arrays.stream(KeySyntaxTest.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    void ship(Order order, String id, int count) {}

    record Order(String id, int count, List<Item> items, Map<String, String> tags) {

        public String getId() {
            return this.id;
        }
    }

    record Item(String name, int price) {}

    static class Misspelt {

        @DistributedLock("#oderId")
        public void run(String orderId) {}
    }

    @DistributedLock("#id")
    static class ClassLevelKey {

        public void run(String id) {}

        public void other() {}
    }
}
