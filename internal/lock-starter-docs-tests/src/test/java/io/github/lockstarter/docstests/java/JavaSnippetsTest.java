package io.github.lockstarter.docstests.java;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.docstests.Resources;
import org.junit.jupiter.api.Test;

class JavaSnippetsTest {

    private static final String GIVEN = """
        <!-- given
        import java.util.zip.ZipFile;

        interface Ledger { void post(String account); }
        Ledger ledger;
        -->
        """;

    private static final String FENCE = """
        ```java
        ledger.post(orderId);
        ```
        """;

    private final JavaSnippets check = new JavaSnippets();

    @Test
    void shouldCompileAllForms() {
        assertThat(problems(this.check, Resources.text("pages/java.md"))).isEmpty();
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
            import java.util.Lits;

            class A {
                Lits<String> a;
            }
            ```
            """))
                .hasSize(3)
                .anySatisfy(problem -> assertThat(problem).startsWith("5: ").contains("lokc"))
                .anySatisfy(problem -> assertThat(problem).startsWith("13: ").contains("Lits"))
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
    void shouldKnowWhatThePageGivesToTheFencesAfterItOnly() {
        assertThat(problems(this.check, FENCE + GIVEN + FENCE))
                .singleElement()
                .asString()
                .startsWith("2: ");
    }

    @Test
    void shouldNameTheLineOfWhatThePageGives() {
        assertThat(problems(this.check, GIVEN.replace("String account", "Sting account") + FENCE))
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
