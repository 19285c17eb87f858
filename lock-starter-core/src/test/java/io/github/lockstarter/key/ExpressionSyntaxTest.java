package io.github.lockstarter.key;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.LockedContext;
import io.github.lockstarter.aop.Sources;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.data.util.Lazy;
import reactor.core.publisher.Mono;

/** The syntax of keys and conditions, and the members of parameters that they read; anything else fails the start. */
class ExpressionSyntaxTest {

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
                "@tenants.current()",
                "#id.replace('#id', '#{id}')",
                "#id == '#id' ? 'a' : 'b'",
                "#count > 5 ? {#id, 'all'} : #count > 1 ? {#id} : 'none'",
                "#order.items.^[price > 5].name",
                "#order.items.^[#this.price > #count].name",
                "#urgent and #count > 5 or #a1 == 'express'",
                "{'open', 'new'}.contains(#id)",
                "@environment.getProperty('locks') == 'true'",
                "#order.customer.anything",
                "#order.asText",
                "#order.level.name",
                "#order.level.name.bytes.length",
                "#order.size.width",
                "#order.size.parts[0].anything",
                "#order.size.part('a').anything",
                "#order.size.shape.anything",
                "#order.size.anything.anything",
                "#root.method.name",
                "#root.target.anything",
                "#order['id']",
                "#id.bytes",
                "#kind.FIRST",
                "#option?.name",
                "#option.present ? #option.get().name : ''",
                "#customer.anything",
                "#customer.missing().x",
                "#shape.radius",
                "#object.anything",
                "#generic.anything",
                "(#order ?: #order).idd",
                "#order.items.![anything]",
                "#customers.![anything]"
            })
    void shouldAccept(String expression) {
        assertThat(key(expression).text()).isEqualTo(expression);
        assertThat(condition(expression).text()).isEqualTo(expression);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '~', textBlock = """
        #oder            | #oder                  | #order (#a0), #id (#a1), #count (#a2), #urgent (#a3)
        #a99             | #a99                   | #count (#a2)
        #order.items[#i] | #i                     | #count (#a2)
        {#id, #oder}     | #oder                  | #order (#a0)
        #root.args[0]    | 'args'                 | getTarget
        T(java.lang.Math).random()   | T(…)       | bean (@name)
        new java.util.Date()         | new        | bean (@name)
        #f(#id)          | functions              | bean (@name)
        #order.id = 5    | change                 | assignments
        #order.count++   | change                 | ++
        orders           | orders                 | quoted
        order-lock       | order                  | quoted
        order.id         | order                  | #order (#a0)
        #order.tags[colour] | colour              | quoted
        current()        | current()              | @
        [0]              | [0]                    | #order (#a0)
        #order.          | not a SpEL expression  | Quote
        order 42         | not a SpEL expression  | Quote
        orders:#id       | not a SpEL expression  | +
        #{#id}           | not a SpEL expression  | = "#id".
        #{#order.id}     | not a SpEL expression  | = "#order.id".
        #{#id + '-'}     | not a SpEL expression  | = "#id + '-'".
        order-#{#id}     | not a SpEL expression  | + #a0
        #{#id}-#{#count} | not a SpEL expression  | + #a0
        ${region}-#{#id} | placeholders           | @environment
        #order.idd       | Order has no public property 'idd' | customer
        #a0?.Id2         | 'Id2'                  | id
        'a' + #order.idd + 'b' | 'idd'            | id
        @beans.of(#order.idd)  | 'idd'            | id
        #order.items.?[name == #order.idd] | 'idd' | id
        #order.asTxt()   | has no public method 'asTxt' | asText
        #order.size.widht | Size has no public property 'widht' | width
        #order.size().widht | Size has no public property 'widht' | width
        #order?.size?.widht() | Size has no public method 'widht' | width
        #order.size.width.unt | java.lang.Integer has no public property 'unt' | intValue
        #order.level.nam | java.lang.Thread$State has no public property 'nam' | name
        #root.method.nam | java.lang.reflect.Method has no public property 'nam' | getName
        #id.id           | java.lang.String has no public property 'id' | isEmpty
        #option.name     | java.util.Optional has no public property 'name' | isPresent
        #kept.nam        | Item has no public property 'nam' | name
        """)
    void shouldReject(String expression, String problem, String remedy) {
        assertThatThrownBy(() -> key(expression))
                .isInstanceOfSatisfying(InvalidLockDefinitionException.class, rejection -> {
                    LockedContext.assertStandsAlone(rejection);
                    assertThat(rejection.remedy()).contains(remedy);
                })
                .hasMessageContaining("@DistributedLock on " + Base.class.getName() + ".ship(Order, String, int, ")
                .hasMessageContaining("in key = \"" + expression + "\", ")
                .hasMessageContaining(problem);
        assertThatThrownBy(() -> condition(expression))
                .hasMessageContaining("in condition = \"" + expression + "\", ")
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        'global'   | Remove the attribute key
        ('global') | Remove the attribute key
        ''         | Remove the attribute key
        "global"   | Remove the attribute key
        '#id'      | outside of quotes
        'a-#a1'    | outside of quotes
        """)
    void shouldRejectOneTextAsAKey(String expression, String remedy) {
        assertThatThrownBy(() -> key(expression))
                .isInstanceOf(InvalidLockDefinitionException.class)
                .hasMessageContainingAll("in key = \"" + expression + "\", ", "all calls would share one lock", remedy);
        assertThat(condition(expression).text()).isEqualTo(expression);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        42                       | the same for all calls
        'a' + 'b'                | the same for all calls
        {'a', 'b'}               | the same for all calls
        'a'.concat('#id')        | the same for all calls
        true ? 'a' : 'b'         | the same for all calls
        #order                   | #order.id
        #a0                      | #a0.id
        #order ?: 'none'         | #order.id
        'o-' + #order            | #order.id
        {#id, #order}            | #order.id
        #urgent ? #id : #order   | #order.id
        #order.customer          | one of getName
        #customer                | one of getName
        #customers               | #customers, a
        #shape                   | #shape, a
        #root                    | getTarget
        """)
    void shouldDoubtAKey(String expression, String what) {
        assertThat(key(expression).doubt()).contains("\"" + expression + "\"", what);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#id",
                "#count",
                "#kind",
                "#kept",
                "#object",
                "#order.id",
                "#order.level",
                "#order.items",
                "#order.size",
                "#order.toString()",
                "#customer.name",
                "#customers.![name]",
                "#root.method.name",
                "#urgent ? 'a' : 'b'",
                "@tenants.current()",
                "@environment.getProperty('region')"
            })
    void shouldNotDoubtAKey(String expression) {
        assertThat(key(expression).doubt()).isNull();
    }

    /** Their text is the same for different values, or different for the same value. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        #publisher                     | Mono
        #publisher ?: 'none'           | Mono
        'user-' + #publisher           | Mono
        {#id, #supplier}               | Supplier
        #supplier                      | Supplier
        #lazy                          | Lazy
        #iterator                      | Iterator
        #several                       | Callable
        #session.user()                | Mono
        #session.user                  | Mono
        @security.user()               | Mono
        @security.users(#id)           | Stream
        @security.session.user         | Mono
        @security.provider             | ObjectProvider
        #number                        | IntSupplier
        #option                        | Mono
        'user-' + #options             | Mono
        #named                         | Supplier
        """)
    void shouldRejectWhatOnlySuppliesAValue(String expression, String type) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("security", new Security());
        Method method = BeanUtils.findDeclaredMethodWithMinimalParameters(Later.class, "run");
        TestSite site = new TestSite(Later.class, method);

        assertThatThrownBy(() -> new Expressions(() -> beans).key(site, expression, method))
                .isInstanceOf(InvalidLockDefinitionException.class)
                .hasMessageContainingAll("in key = \"" + expression + "\", ", " a " + type + ",", "the value itself");
    }

    @SuppressWarnings("UnusedVariable") // read by expressions
    static class Later {
        void run(
                String id,
                Mono<String> publisher,
                Supplier<String> supplier,
                Lazy<String> lazy,
                Iterator<String> iterator,
                List<Callable<String>> several,
                IntSupplier number,
                Optional<Mono<String>> option,
                Mono<String>[] options,
                Map<String, Supplier<String>> named,
                Session session) {}
    }

    static class Session {
        public Mono<String> user() {
            return Mono.empty();
        }

        public Mono<String> getUser() {
            return Mono.empty();
        }
    }

    static class Security extends Session {
        public Stream<String> users(String id) {
            return Stream.of(id);
        }

        public Session getSession() {
            return this;
        }

        public ObjectProvider<String> getProvider() {
            return null;
        }
    }

    @Test
    void shouldRejectABlankExpression() {
        assertThatThrownBy(() -> key(" ")).hasMessageContainingAll("key = \" \"", "blank");
        assertThatThrownBy(() -> condition(" ")).hasMessageContainingAll("condition = \" \"", "blank");
    }

    @Test
    void shouldReportMissingParameterNames(@TempDir Path directory) throws Exception {
        Class<?> bean = Sources.in(directory)
                .add(
                        "shop.Nameless",
                        "public class Nameless { @io.github.lockstarter.DistributedLock(\"#id\")"
                                + " public void run(String id) {} }")
                .load("shop.Nameless");

        assertThat(rejectionOf(bean))
                .hasMessageContaining("@DistributedLock on shop.Nameless.run(String)")
                .hasMessageContaining("there is not a variable #id")
                .hasMessageContaining("available variables: #a0, #root.method")
                .hasMessageContaining("compile it with -parameters");
    }

    @Test
    void shouldRejectAtStart() {
        assertThat(rejectionOf(Misspelt.class)).hasMessageContaining("there is not a variable #urgnt");
        assertThat(rejectionOf(ClassLevelKey.class))
                .hasMessageContaining("ClassLevelKey.other()")
                .hasMessageContaining("there is not a variable #id");
    }

    @Test
    void shouldUseNamesOfTheInterfaceAndTypesOfTheClass() {
        assertThat(rejectionOf(Impl.class))
                .hasMessageContaining(Impl.class.getName() + ".run(Item)")
                .hasMessageContaining("'nam'");
    }

    private static CallExpression key(String text) {
        return new Expressions(() -> null).key(new TestSite(Concrete.class, ship()), text, ship());
    }

    private static CallExpression condition(String text) {
        return new Expressions(() -> null).condition(new TestSite(Concrete.class, ship()), text, ship());
    }

    private static Method ship() {
        return BeanUtils.findDeclaredMethodWithMinimalParameters(Base.class, "ship");
    }

    static class Base<K, G> {
        void ship(
                Order order,
                String id,
                int count,
                boolean urgent,
                Class<?> kind,
                Optional<Item> option,
                Customer customer,
                Shape shape,
                Object object,
                G generic,
                K kept,
                List<Customer> customers) {}
    }

    static class Concrete extends Base<Item, Customer> {}

    record Order(
            String id,
            int count,
            List<Item> items,
            Map<String, String> tags,
            Customer customer,
            Thread.State level,
            Size<Item> size) {
        public String getId() {
            return this.id;
        }

        public String asText() {
            return "";
        }
    }

    record Item(String name, int price) {}

    record Size<T>(int width, List<T> parts, T anything, Shape shape) {
        public Item part(String name) {
            return null;
        }

        /** The type of the result depends on the arguments. */
        public Customer part(int index) {
            return null;
        }
    }

    /** A subclass may have more properties. */
    static class Customer {
        public String getName() {
            return "";
        }
    }

    sealed interface Shape permits Circle {}

    record Circle(int radius) implements Shape {}

    static class Misspelt {
        @DistributedLock(condition = "#urgnt")
        public void run(boolean urgent) {}
    }

    @DistributedLock("#id")
    static class ClassLevelKey {
        public void run(String id) {}

        public void other() {}
    }

    interface Runs<T> {
        @DistributedLock("#thing.nam")
        void run(T thing);
    }

    static class Impl implements Runs<Item> {
        @Override
        public void run(Item item) {}
    }
}
