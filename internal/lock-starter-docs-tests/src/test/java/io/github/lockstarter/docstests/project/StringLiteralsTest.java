package io.github.lockstarter.docstests.project;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StringLiteralsTest {

    @Test
    void shouldJoinLiteralsAndEndAtVariables() {
        assertThat(StringLiterals.in("""
            // "no"
            log("Lock '" + name + "' is"
                    // why
                    + " lost");
            char c = '"';
            String a = "x %s y {} z".formatted(1, "a\\"b");
            """)).containsExactly("Lock '", "' is lost", "x ", " y ", " z", "a\"b");
    }
}
