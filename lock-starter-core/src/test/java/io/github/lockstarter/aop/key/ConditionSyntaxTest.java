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
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The syntax of conditions; anything else fails at start-up. */
class ConditionSyntaxTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "#urgent",
                "!#urgent",
                "not #p3",
                "#urgent and #count > 5 or #a1 == 'express'",
                "#urgent ? #count > 5 : false",
                "#flag ?: true",
                "#order.priority",
                "#order.items.isEmpty()",
                "#order.items.size() > 1",
                "#order.items.?[price > 5].size() > 0",
                "{'open', 'new'}.contains(#id)",
                "#count between {1, 5}",
                "#id matches '[a-z]+'",
                "#id.contains('#id')",
                "#anything",
                "#root.target.isOpen()",
                "#root.method.name == 'ship'",
                "@tenants.isShared(#id)",
                "@environment.getProperty('locks') == 'true'",
                "#id != null"
            })
    void shouldAccept(String condition) {
        assertThat(parse(condition).text()).isEqualTo(condition);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    #urgnt           | there is not a variable #urgnt              | Available variables: #order (#a0), #id (#a1)
                    #a9              | there is not a variable #a9                 | Available variables
                    #root.bean       | #root has no bean                        | #root.method, #root.target
                    #this            | there is not a variable #this               | Available variables
                    #order.urgnt     | has no public property 'urgnt'           | It has: priority, items
                    #order.priorty   | has no public property 'priorty'         | Did you mean #order.priority?
                    urgent           | 'urgent' is not a variable                  | Did you mean #urgent?
                    enabled          | 'enabled' is not a variable                 | Available variables: #order (#a0)
                    #id == open      | 'open' is not a variable                    | quote it: #id == 'open'.
                    count > 5        | 'count' is not a variable                   | Did you mean #count > 5?
                    isOpen()         | nothing to call isOpen() on              | #root.target.isOpen()
                    T(Math).abs(1) > 0 | T(…) is not allowed in a condition     | of a bean (@name)
                    new String() == #id | new is not allowed in a condition     | of a bean (@name)
                    #id = 'a'        | a condition must not change anything     | Remove assignments
                    {a: #id} == null | a map is not allowed in a condition      | of a bean (@name)
                    #f(#id)          | functions are not supported in a condition    | of a bean (@name)
                    #urgent and      | is not a SpEL expression                    | "#a0 == 'text'"
                    ${locks}         | is not a SpEL expression                    | @environment.getProperty('name') == 'true'
                    '${locks}' == 'true' | '${locks}' is the same text | @environment.getProperty('name') == 'true'
                    #{#urgent}       | is not a SpEL expression                    | condition = "#urgent".
                    #{#urgent} and #{#flag} | is not a SpEL expression             | condition = "#urgent and #flag".
                    '#id' == 'open'  | '#id' is the same text         | condition = "(#id) == 'open'".
                    #urgent && !('#id' == 'a') | '#id' is a text                | condition = "#urgent && !((#id) == 'a')".
                    'true'           | 'true' is neither true nor false         | Compare it
                    null             | is neither true nor false                | Compare it
                    1                | 1 is neither true nor false              | Compare it
                    #count + 1       | is neither true nor false                | Compare it
                    {#urgent}        | is neither true nor false                | Compare it
                    #id              | #id is neither true nor false            | Compare it
                    #p2              | #p2 is neither true nor false            | Compare it
                    #order.items     | #order.items is neither true nor false   | Compare it
                    #maybe           | #maybe is neither true nor false         | Compare it
                    #urgent ? 'a' : true | 'a' is neither true nor false        | Compare it
                    #flag ?: 'no'    | 'no' is neither true nor false           | Compare it
                    """)
    void shouldReject(String condition, String problem, String remedy) {
        assertThatThrownBy(() -> parse(condition))
                .isInstanceOfSatisfying(
                        InvalidLockDefinitionException.class,
                        rejection -> assertThat(rejection.remedy()).contains(remedy))
                .hasMessageContaining("@DistributedLock on " + getClass().getName() + ".ship(")
                .hasMessageContaining("condition = \"" + condition + '"')
                .hasMessageContaining(problem);
    }

    @Test
    void shouldRejectABlankCondition() {
        assertThatThrownBy(() -> parse(" "))
                .hasMessageContaining("condition = \" \" is blank. Remove it, so that all calls take the lock");
    }

    @Test
    void shouldRejectAtStart() {
        assertThat(LockedContext.rejectionOf(Misspelt.class)).hasMessageContaining("there is not a variable #urgnt");
        assertThat(LockedContext.rejectionOf(Twice.class)).hasMessageContaining("request the same lock 'Twice.run'");
    }

    private static ConditionExpression parse(String condition) {
        Method ship = Arrays.stream(ConditionSyntaxTest.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("ship"))
                .findFirst()
                .orElseThrow();
        return ConditionExpression.parse(
                new LockSite(ConditionSyntaxTest.class, ship), condition, ship, new ExpressionContext(() -> null));
    }

    void ship(
            Order order,
            String id,
            int count,
            boolean urgent,
            Boolean flag,
            Object anything,
            Optional<Boolean> maybe) {}

    record Order(boolean priority, List<Item> items) {}

    record Item(String name, int price) {}

    static class Misspelt {

        @DistributedLock(condition = "#urgnt")
        public void run(boolean urgent) {}
    }

    static class Twice {

        @DistributedLock(condition = "#urgent", waitTime = 0)
        @DistributedLock(condition = "#urgent")
        public void run(boolean urgent) {}
    }
}
