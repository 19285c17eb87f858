package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.LockedContext;
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
                    #urgnt           | #urgnt                 | #order (#a0), #id (#a1)
                    #a9              | #a9                    | #order (#a0)
                    #root.bean       | 'bean'                 | getTarget
                    #this            | #this                  | #order (#a0)
                    #order.urgnt     | 'urgnt'                | priority
                    urgent           | urgent                 | #urgent
                    #id == open      | open                   | quoted
                    isOpen()         | isOpen()               | @
                    T(Math).abs(1) > 0  | T(…)                | bean (@name)
                    new String() == #id | new                 | bean (@name)
                    #f(#id)          | functions              | bean (@name)
                    #id = 'a'        | change                 | assignments
                    #urgent and      | not a SpEL expression  | Quote
                    ${locks}         | placeholders           | @environment.getProperty
                    '${locks}' == 'true' | placeholders       | @environment.getProperty
                    #{#urgent}       | not a SpEL expression  | #{
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
        assertThatThrownBy(() -> parse(" ")).hasMessageContainingAll("condition = \" \"", "blank");
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
        return new Expressions(() -> null).condition(new TestSite(ConditionSyntaxTest.class, ship), condition, ship);
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
