package io.github.lockstarter.docstests.java;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class JavaSnippetsTest {

    private final JavaSnippets check = new JavaSnippets();

    /** Types, members, statements, annotations; ellipses; imports. One run of the compiler, which takes most of the time. */
    private static final List<String> CODE = List.of(
            "@Service\n"
                    + "public class Orders {\n"
                    + "    @DistributedLock(key = \"#id\")\n"
                    + "    public int a(String id) { … }\n"
                    + "}",
            "@DistributedLock(name = \"order\", key = \"#orderId\")\npublic void settle(String orderId) { … }",
            "private LockRegistry locks;",
            "LeaseLock lock = lockRegistry.getLock(orderId);\n"
                    + "lock.lock();\n"
                    + "try {\n"
                    + "    …\n"
                    + "} finally {\n"
                    + "    lock.unlock();\n"
                    + "}",
            "long open = lockRegistry.execute(LockRequest.of(\"order\", orderId), lease -> countOpen(orderId));",
            "@SpringBootTest(properties = \"distributed-lock.store=memory\")\n"
                    + "@ImportAutoConfiguration(RedissonClient.class)",
            "@Bean\n@Primary",
            "String a(boolean b) {\n    if (b) { … }\n    …\n}",
            "Order order = …;\ncountOpen(…); // …",
            "class Some { … }",
            "Runnable run = new Runnable() {\n    @Override\n    public void run() { … }\n};",
            "import org.redisson.api.RLock;\n\nclass A { RLock lock(RedissonClient c) { return c.getLock(\"a\"); } }",
            "package a;\n\n"
                    + "import com.baomidou.lock.annotation.Lock4j;\n\n"
                    + "class A { @Lock4j(keys = \"#id\") void a(String id) {} }",
            "Orders orders = null;\norders.settle(order);");

    @Test
    void shouldCompile() {
        String imports = "<!-- given\nimport org.redisson.api.RedissonClient;\n-->\n";
        String fences =
                CODE.stream().map(code -> "```java\n" + code + "\n```\n").collect(Collectors.joining());

        assertThat(problems(this.check, imports + fences)).isEmpty();
    }

    @Test
    void shouldNameTheLineOfThePage() {
        assertThat(problems(this.check, """
            # Page

            ```java
            LeaseLock lock = lockRegistry.getLock("a");
            lock.lokc();
            ```

            ```java
            public void fine() {}
            ```

            ```java
            import java.util.List;

            class A {
                Lits<String> a;
            }
            ```
            """))
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem).startsWith("5: ").contains("lokc"))
                .anySatisfy(problem -> assertThat(problem).startsWith("16: ").contains("Lits"));
    }

    @Test
    void shouldNameErrorsOfSyntaxBesideOthers() {
        assertThat(problems(this.check, """
            ```java
            lock.lock(;
            ```
            ```java
            undefined.call();
            ```
            """))
                .anySatisfy(problem -> assertThat(problem).startsWith("2: "))
                .anySatisfy(problem -> assertThat(problem).startsWith("5: ").contains("undefined"));
    }

    @Test
    void shouldKnowWhatThePageGivesToTheFencesAfterIt() {
        String fence = "```java\nledger.post(orderId);\n```\n";
        String given = "<!-- given\n"
                + "import java.util.zip.ZipFile;\n\n"
                + "interface Ledger { void post(String account); }\n"
                + "Ledger ledger;\n"
                + "-->\n";

        assertThat(problems(this.check, given + fence + fence)).isEmpty();
        assertThat(problems(this.check, fence + given))
                .singleElement()
                .asString()
                .startsWith("2: ");
        assertThat(problems(this.check, given.replace("String account", "Sting account") + fence))
                .anySatisfy(problem -> assertThat(problem).startsWith("4: "));
    }

    @Test
    void shouldNameVariablesOfKeysThatAreNoParameters() {
        assertThat(problems(this.check, """
            ```java
            @DistributedLock(name = "order", key = "#oderId", condition = "#root.args.length > 0")
            public void settle(String orderId) {}
            ```
            """)).singleElement().asString().contains("#oderId");
    }
}
