package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityHashTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shop.Order@1b2c3d",
                "shop.Order@1b2c3",
                "shop.Order@1234567",
                "Order@1b2c3d4e",
                "order of shop.Order@1b2c3d.",
                "shop.Customer@1b2c3d-7",
                "7-Customer@1b2c3d4",
                "shop.Customer@1b2c3d.7",
                "shop.Customer@1b2c3d_7",
                "shop.Order@1b2c3d@shop.Order@7",
                "Customer@1b2c3d4[id=7]",
                "[B@1b2c3d-7",
                "Order(customer=shop.Customer@1b2c3d, number=1)",
                "a@b, shop.Order@1b2c3d",
                "shop.Outer$Inner@1b2c3d",
                "shop.订单@1b2c3d",
                "Orders$$Lambda/0x000078e1c8000a08@7b23ec81",
                "data=[[I@7",
                "[Lshop.Outer$Inner;@7f31"
            })
    void shouldFind(String text) {
        assertThat(IdentityHash.firstIn(text)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "@",
                "a@b",
                "User@cafe.example",
                "John.Doe@beef.example.org",
                "john.doe@decade",
                "Node@18",
                "shop.Order@",
                "shop.Order@1b2c3dx",
                "shop.Order@123456789",
                "shop.Order@1b2c-3d",
                "john.Doe@cafe-berlin.example",
                "user@1b2c3d.example",
                "main@1a2b3c4",
                "shop.Order@f",
                "shop.Order@202611",
                "Release@20261122",
                "Jane@1b2c3d",
                "image@sha256:1b2c3d"
            })
    void shouldNotTakeForOne(String text) {
        assertThat(IdentityHash.firstIn(text)).isNull();
    }

    /** With another hash, because a few in a thousand have so few digits that they look like versions. */
    @Test
    void shouldFindWhatTheJvmPrints() {
        assertThat(new Object[] {new Object(), new int[0], new String[0][0], (Runnable) () -> {}, new Object() {}})
                .extracting(object -> ("Text(of=" + object).replaceAll("@[0-9a-f]{1,8}$", "@1b2c3d4"))
                .allMatch(text -> IdentityHash.firstIn(text + ")") != null);
    }

    /** A copy of the rest for each candidate would take minutes; the limit only has to tell minutes from milliseconds. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldSearchALongTextInLinearTime() {
        assertThat(IdentityHash.firstIn("a@b ".repeat(2_000_000))).isNull();
    }
}
