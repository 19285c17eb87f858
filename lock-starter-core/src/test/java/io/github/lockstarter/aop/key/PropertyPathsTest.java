package io.github.lockstarter.aop.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.LockedContext;
import io.github.lockstarter.aop.metadata.LockSite;
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

/** A property that no value of its type can have fails at start-up and not at the first call. */
class PropertyPathsTest {

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
                    #order.idd                 | Order has no public property 'idd'      | Did you mean #order.id? It has: id, customer, items, byName, tags, level,
                    #a0.idd                    | 'idd'                                   | Did you mean #a0.id?
                    #order?.Id2                | 'Id2'                                   | Did you mean #order?.id?
                    'a' + #order.idd + 'b'     | 'idd'                                   | Did you mean 'a' + #order.id + 'b'?
                    {#order.id, #order.idd}    | 'idd'                                   | Did you mean {#order.id, #order.id}?
                    #count > 5 ? #order.idd : #name | 'idd'                              | #count > 5 ? #order.id : #name?
                    @beans.of(#order.idd)      | 'idd'                                   | Did you mean @beans.of(#order.id)?
                    #order.items.?[sku == #order.idd] | 'idd'                            | ?[sku == #order.id]?
                    #order.getId()             | Order has no public method 'getId'      | Did you mean #order.id()? It has: asText, byName
                    #order.asTxt()             | has no public method 'asTxt'            | Did you mean #order.asText()?
                    #order.whatever            | has no public property 'whatever'       | It has: id, customer
                    #order.customer.nmae       | Customer has no public property 'nmae'  | Did you mean #order.customer.name? It has: code, name, partner, vip
                    #order.customer.secret     | has no public property 'secret'         | It has: code, name
                    #order.customer.getName().lenght | java.lang.String has no public property 'lenght' | Did you mean #order.customer.getName().length?
                    #order.items[0].sk         | Item has no public property 'sk'        | Did you mean #order.items[0].sku?
                    #order.byName['a'].sk      | Item has no public property 'sk'        | Did you mean #order.byName['a'].sku?
                    #order['idd']              | Order has no public property 'idd'      | Did you mean #order['id']?
                    #order.level.nam           | Level has no public property 'nam'      | Did you mean #order.level.name?
                    #order.tags.size           | java.lang.String[] has no public property 'size' | It has: length
                    #order.tags[0].size        | java.lang.String has no public property 'size' | It has:
                    #order.items.![sk]         | Item has no public property 'sk'        | Did you mean #order.items.![sku]?
                    #order.items.![#this.sk]   | Item has no public property 'sk'        | Did you mean #order.items.![#this.sku]?
                    #order.items.![sku.lenght] | java.lang.String has no public property 'lenght' | #order.items.![sku.length]?
                    #order.items.!['a' + sk]   | Item has no public property 'sk'        | #order.items.!['a' + sku]?
                    #order.items.![sku.concat(sk)] | Item has no public property 'sk'    | #order.items.![sku.concat(sku)]?
                    #order.items.![sk()]       | Item has no public method 'sk'          | #order.items.![sku()]?
                    #order.items.?[sk == 'a']  | Item has no public property 'sk'        | #order.items.?[sku == 'a']?
                    #order.items.^[sku == '1'].sk | Item has no public property 'sk'     | #order.items.^[sku == '1'].sku?
                    #order.items.?[sku == '1'].![sk] | Item has no public property 'sk'  | #order.items.?[sku == '1'].![sku]?
                    #order.items.![sku][0].lenght | 'lenght'                             | #order.items.![sku][0].length?
                    #order.items.get(0).sk     | Item has no public property 'sk'        | #order.items.get(0).sku?
                    #order.byName.get('a').sk  | Item has no public property 'sk'        | #order.byName.get('a').sku?
                    #order.byName.![value.sk]  | Item has no public property 'sk'        | #order.byName.![value.sku]?
                    #order.byName.?[value.sk == 'a'] | Item has no public property 'sk'  | #order.byName.?[value.sku == 'a']?
                    #order.tags.![lenght]      | java.lang.String has no public property 'lenght' | #order.tags.![length]?
                    #opens.![customer.nmae]    | Customer has no public property 'nmae'  | #opens.![customer.name]?
                    #option?.sk                | Item has no public property 'sk'        | #option?.sku?
                    #order.with('a').idd       | Order has no public property 'idd'      | #order.with('a').id?
                    #name.id                   | java.lang.String has no public property 'id' | It has: blank, bytes, empty
                    #count.id                  | java.lang.Integer has no public property 'id' | It has: byteValue
                    #option.sku                | java.util.Optional has no public property 'sku' | It has: empty, present
                    #open.customer.nmae        | Customer has no public property 'nmae'  | #open.customer.name?
                    #values[0].sk              | Item has no public property 'sk'        | #values[0].sku?
                    #holder.content.sk         | Item has no public property 'sk'        | #holder.content.sku?
                    #kept.sk                   | Item has no public property 'sk'        | #kept.sku?
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
                .hasMessageContaining("Did you mean #item.sku?");
    }

    @Test
    void shouldUseNamesOfTheInterfaceAndTypesOfTheClass() {
        assertThat(LockedContext.rejectionOf(Impl.class))
                .hasMessageContaining(Impl.class.getName() + ".run(Item)")
                .hasMessageContaining("Did you mean #thing.sku?");
    }

    private static KeyExpression parse(String key) {
        Method ship = Arrays.stream(Base.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("ship"))
                .findFirst()
                .orElseThrow();
        return KeyExpression.parse(new LockSite(Concrete.class, ship), key, ship, new ExpressionContext(() -> null));
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
