package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.LockedContext;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A member that a record or another final parameter type does not have fails at start-up and not at the first call. */
class ParameterMembersTest {

    private static final SpelExpressionParser SPEL = new SpelExpressionParser();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#order.id",
                "#a0.id",
                "#p0?.id",
                "#order.customer.name",
                "#order.customer?.name.length",
                "#order.customer.getName()",
                "#order.customer.getName().length()",
                "#order.customer.vip",
                "#order.customer.code",
                "#order.customer.LIMIT",
                "#order.items[0].sku",
                "#order.items.size",
                "#order.byName['a'].sku",
                "#order.byName.size()",
                "#order.byName.anything",
                "#order['id']",
                "#order.asText()",
                "#order.asText",
                "#order.with('a')",
                "#order.with('a').id",
                "#order.level.name",
                "#order.tags.length",
                "#order.tags[0].length()",
                "#order.tags[0][0]",
                "#order.toString()",
                "#name.bytes",
                "#name.empty ? 'a' : #name.length",
                "#count.intValue",
                "#kind.FIRST",
                "#kind.simpleName",
                "#option?.sku",
                "#option.present ? #option.get().sku : ''",
                "#open.anything",
                "#open.anything.else",
                "#open.name.whatever()",
                "#open.missing().x",
                "#face.anything",
                "#shape.radius",
                "#object.anything",
                "#generic.anything",
                "#order.customer.partner.anything",
                "(#order ?: #order).idd",
                "@beans.current().idd",
                "#root.target.anything",
                "#order.items.![sku]",
                "#order.items.![#this.sku.length]",
                "#order.items.![sku.concat(sku)]",
                "#order.items.![#order.byName[sku].sku]",
                "#order.items.![#order.byName[anything].sku]",
                "#order.items.?[sku == #order.id]",
                "#order.items.^[sku == 'a'].sku",
                "#order.items.get(0).sku",
                "#order.byName.![key + value.sku]",
                "#order.byName.?[value.sku == 'a'].size",
                "#order.tags.![length]",
                "#order.tags.?[length > 0].length",
                "#opens.![anything]",
                "#opens.![customer][0].name",
                "#raw.![anything]",
                "#object.![anything]",
                "@beans.all().![anything]",
                "#option?.present"
            })
    void shouldAccept(String key) {
        assertThat(parse(key)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', commentCharacter = '~', textBlock = """
                    #order.idd                 | Order has no public property 'idd'      | customer
                    #a0.idd                    | 'idd'                                   | id
                    #order?.Id2                | 'Id2'                                   | id
                    'a' + #order.idd + 'b'     | 'idd'                                   | id
                    {#order.id, #order.idd}    | 'idd'                                   | id
                    #count > 5 ? #order.idd : #name | 'idd'                              | id
                    @beans.of(#order.idd)      | 'idd'                                   | id
                    #order.items.?[sku == #order.idd] | 'idd'                            | id
                    #order.getId()             | Order has no public method 'getId'      | id
                    #order.asTxt()             | has no public method 'asTxt'            | asText
                    #name.id                   | java.lang.String has no public property 'id' | isEmpty
                    #count.id                  | java.lang.Integer has no public property 'id' | byteValue
                    #option.sku                | java.util.Optional has no public property 'sku' | isPresent
                    #kept.sk                   | Item has no public property 'sk'        | sku
                    """)
    void shouldReject(String key, String problem, String remedy) {
        assertThatThrownBy(() -> SPEL.parseExpression(key).getValue(arguments()))
                .as("what would happen at the first call")
                .isInstanceOf(SpelEvaluationException.class);
        assertThatThrownBy(() -> parse(key))
                .isInstanceOfSatisfying(
                        InvalidLockDefinitionException.class,
                        rejection -> assertThat(rejection.remedy()).contains(remedy))
                .hasMessageContaining("@DistributedLock on " + Base.class.getName() + ".ship(")
                .hasMessageContaining("in key = \"" + key + "\", ")
                .hasMessageContaining(problem);
    }

    @Test
    void shouldRejectAtStart() {
        assertThat(LockedContext.rejectionOf(Misspelt.class))
                .hasMessageContaining("has no public property 'skuu'")
                .hasMessageContaining("sku");
    }

    @Test
    void shouldUseNamesOfTheInterfaceAndTypesOfTheClass() {
        assertThat(LockedContext.rejectionOf(Impl.class))
                .hasMessageContaining(Impl.class.getName() + ".run(Item)")
                .hasMessageContaining("'skuu'");
    }

    private static KeyExpression parse(String key) {
        Method ship = Arrays.stream(Base.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("ship"))
                .findFirst()
                .orElseThrow();
        return new Expressions(() -> null).key(new TestSite(Concrete.class, ship), key, ship);
    }

    private static StandardEvaluationContext arguments() {
        Item item = new Item("1");
        Map<String, Item> byName = Map.of("a", item);
        Order order = new Order("1", new Customer(), List.of(item), byName, new String[] {"t"}, Level.LOW);
        StandardEvaluationContext context = new StandardEvaluationContext();
        context.setBeanResolver((unused, name) -> new Open());
        context.setVariables(Map.of(
                "order", order, "a0", order, "name", "n", "count", 6, "option", Optional.of(item), "open", new Open()));
        context.setVariables(Map.of(
                "values", List.of(item), "holder", new Holder<>(item), "kept", item, "opens", List.of(new Open())));
        return context;
    }

    static class Base<K, G> {

        void ship(
                Order order,
                String name,
                int count,
                Class<?> kind,
                Optional<Item> option,
                Open open,
                Face face,
                Shape shape,
                Object object,
                G generic,
                K kept,
                List<? extends Item> values,
                Holder<Item> holder,
                List<Open> opens,
                @SuppressWarnings("rawtypes") List raw) {}
    }

    static class Concrete extends Base<Item, Open> {}

    @SuppressWarnings("ArrayRecordComponent") // keys may read one
    record Order(String id, Customer customer, List<Item> items, Map<String, Item> byName, String[] tags, Level level) {

        public String asText() {
            return "";
        }

        public Order with(String other) {
            return this;
        }

        public static Order empty() {
            return new Order("", new Customer(), List.of(), Map.of(), new String[0], Level.LOW);
        }
    }

    record Item(String sku) {}

    record Holder<T>(T content) {}

    public static final class Customer {

        public static final int LIMIT = 3;

        public final String code = "";

        public String getName() {
            return "";
        }

        public boolean isVip() {
            return true;
        }

        public Open getPartner() {
            return new Open();
        }

        String getSecret() {
            return "";
        }
    }

    /** A subclass may have more properties. */
    static class Open {

        public Customer getCustomer() {
            return new Customer();
        }

        /** Hidden by a getName of a subclass, which may be of any type. */
        public String name() {
            return "";
        }
    }

    interface Face {}

    sealed interface Shape permits Circle {}

    record Circle(int radius) implements Shape {}

    enum Level {
        LOW,
        HIGH
    }

    static class Misspelt {

        @DistributedLock("#item.skuu")
        public void run(Item item) {}
    }

    interface Runs<T> {

        @DistributedLock("#thing.skuu")
        void run(T thing);
    }

    static class Impl implements Runs<Item> {

        @Override
        public void run(Item item) {}
    }
}
