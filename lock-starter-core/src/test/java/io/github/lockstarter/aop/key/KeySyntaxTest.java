package io.github.lockstarter.aop.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.LockedContext;
import io.github.lockstarter.aop.Sources;
import io.github.lockstarter.aop.metadata.LockSite;
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
                    #oder            | there is not a variable #oder               | Available variables: #order (#a0), #id (#a1), #count (#a2), #root.method, #root.target.
                    #a3              | there is not a variable #a3                 | #count (#a2)
                    #id + #p7        | there is not a variable #p7                 | #count (#a2)
                    #order.items[#i] | there is not a variable #i                  | #count (#a2)
                    #this            | there is not a variable #this               | #count (#a2)
                    #root.args[0]    | #root has no args                        | #root.target
                    #count > 1 ? #id : {} | an empty list locks nothing         | at least one key
                    #root.toString() | #root has no toString()                  | #root.target
                    T(java.lang.Math).random() | T(…) is not allowed            | bean (@name)
                    #count instanceof T(Integer) | T(…) is not allowed          | bean (@name)
                    new java.util.Date()       | new is not allowed             | bean (@name)
                    #order.id = 5    | must not change anything                 | assignments
                    #order.count++   | must not change anything                 | ++
                    --#order.count   | must not change anything                 | ++
                    {#id, #oder}     | there is not a variable #oder               | Available variables: #order (#a0)
                    #count > 5 ? {#id} : {#oder}    | there is not a variable #oder | Available variables: #order (#a0)
                    ({#id}[0] ?: 'x') ?: 'y'        | a list can only be a whole key | #a0 + ':' + #a1
                    (#count > 5 ? {#id} : #id) + '' | a list can only be a whole key | #a0 + ':' + #a1
                    {#id, {#count}}  | a list can only be a whole key           | #a0 + ':' + #a1
                    {#id, orders}    | 'orders' is not a variable                  | If it is meant as text, quote it: {#id, 'orders'}. Available variables
                    {id, count}      | 'id' is not a variable                      | Did you mean {#id, #count}? If it is meant as text, quote it: {'id', count}.
                    #id + orders     | 'orders' is not a variable                  | quote it: #id + 'orders'.
                    {a: #id}         | a map cannot be one                      | #a0 + ':' + #a1
                    #f(#id)          | functions are not supported in a key          | bean (@name)
                    orders           | 'orders' is not a variable                  | use name = "orders", or quote it: "'orders'"
                    order-lock       | is not a variable                           | use name = "order-lock", or quote it
                    order.id         | 'order' is not a variable                   | Did you mean #order.id?
                    #count + id      | 'id' is not a variable                      | Did you mean #count + #id?
                    method.name      | 'method' is not a variable                  | Did you mean #root.method.name?
                    #order.tags[colour] | 'colour' is not a variable               | quote it: #order.tags['colour'].
                    current()        | nothing to call current() on             | #root.target.current()
                    [0]              | nothing that [0] could be part of        | Available variables
                    #order.          | is not a SpEL expression                    | "'text'"
                    order 42         | is not a SpEL expression                    | Plain text belongs in name
                    orders:#id       | is not a SpEL expression                    | joined with +
                    #{#id}           | is not a SpEL expression                    | key = "#id".
                    #{id}            | is not a SpEL expression                    | key = "#id".
                    #{order.id}      | is not a SpEL expression                    | key = "#order.id".
                    order-#{#id}     | is not a SpEL expression                    | key = "'order-' + #id".
                    #{#id}-#{#order.id} | is not a SpEL expression                 | key = "#id + '-' + #order.id".
                    #{#id}#{#count}  | is not a SpEL expression                    | key = "'' + #id + #count".
                    'a-' + #{#id}    | is not a SpEL expression                    | key = "'a-' + #id".
                    #{#id} + #{#count} | is not a SpEL expression                  | key = "#id + #count".
                    a + #{#id}       | is not a SpEL expression                    | key = "'a + ' + #id".
                    'order-#order.id' | is the same text for every call | key = "'order-' + #order.id".
                    '#id-#order.id.' | is the same text for every call | key = "#id + '-' + #order.id + '.'".
                    it's #{#id}      | is not a SpEL expression                    | key = "'it''s ' + #id".
                    a#{#count > 5 ? 'b' : 'c'} | is not a SpEL expression          | key = "'a' + (#count > 5 ? 'b' : 'c')".
                    order-#{#id      | is not a SpEL expression                    | the key is already an expression.
                    order-#{#id +}   | is not a SpEL expression                    | the key is already an expression.
                    ${region}-#{#id} | is not a SpEL expression                    | Placeholders belong in name
                    'order-#{#id}'   | 'order-#{#id}' is the same text for every call | key = "'order-' + #id".
                    'order-#id'      | is the same text for every call | key = "'order-' + #id".
                    'order-#a1'      | is the same text for every call | key = "'order-' + #a1".
                    '#id'            | is the same text for every call | key = "#id".
                    "order-#{#id}"   | is the same text for every call | key = "'order-' + #id".
                    'it''s #{#id}'   | is the same text for every call | key = "'it''s ' + #id".
                    'a' + '-#{#id}'  | '-#{#id}' is the same text     | key = "'a' + ('-' + #id)".
                    #count + '#id'   | '#id' is the same text         | key = "#count + (#id)".
                    {'a-#id', 'b'}   | is the same text for every call | key = "{('a-' + #id), 'b'}".
                    #count > 5 ? 'a#id' : 'b' | is the same text for every call | key = "#count > 5 ? ('a' + #id) : 'b'".
                    '${region}-' + #id | '${region}-' is the same text | Placeholders belong in name
                    ${region}        | is not a SpEL expression                    | Placeholders belong in name
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
        assertThatThrownBy(() -> parse(" ")).hasMessageContaining("is blank. Remove it");
    }

    @Test
    void shouldRejectAmbiguousNames() {
        assertThatThrownBy(() -> parse("#p1", method("swapped")))
                .hasMessageContaining("#p1 is the name of one parameter and the position of another");
        assertThatThrownBy(() -> parse("#root", method("rooted")))
                .hasMessageContaining("#root is the call and not the parameter");
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
        return KeyExpression.parse(
                new LockSite(KeySyntaxTest.class, method), key, method, new ExpressionContext(() -> null));
    }

    private static Method method(String name) {
        return Arrays.stream(KeySyntaxTest.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    void ship(Order order, String id, int count) {}

    void swapped(String p1, String p0) {}

    void rooted(String root) {}

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
