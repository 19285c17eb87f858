package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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
                "7-shop.Customer@1b2c3d",
                "shop.Customer@1b2c3d.7",
                "shop.Customer@1b2c3d_7",
                "shop.Order@1b2c3d@shop.Order@7",
                "Customer@1b2c3d4[id=7]",
                "[B@1b2c3d-7",
                "Order(customer=shop.Customer@1b2c3d, number=1)",
                "[shop.Order@1b2c3d, shop.Order@2b2c3d]",
                "{a=shop.Order@1b2c3d}",
                "a@b, shop.Order@1b2c3d",
                "shop.Outer$Inner@1b2c3d",
                "shop.order$1@1b2c3d",
                "shop.订单@1b2c3d",
                "Orders$$Lambda/0x000078e1c8000a08@7b23ec81",
                "shop.Orders$$Lambda$14/0x0000000800066440@7b23ec81",
                "[B@1b2c3d",
                "data=[[I@7",
                "[[B@1b2c3d]",
                "[Ljava.lang.String;@7f31",
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
                "a",
                "a@b",
                "user@cafe.example",
                "User@cafe.example",
                "John.Doe@beef.example.org",
                "john.doe@decade",
                "mailto:jane@facade",
                "app@1.2.3",
                "Node@18",
                "@Order@",
                "shop.Order@",
                "shop.Order@xyz",
                "shop.Order@1b2c3dx",
                "shop.Order@123456789",
                "shop.Order@1b2c-3d",
                "john.Doe@cafe-berlin.example",
                "Jane@4ever.example",
                "user@1b2c3d.example",
                "main@1a2b3c4",
                "shop.Order@f",
                "shop.Order@2026",
                "shop.Order@202611",
                "Release@202611",
                "Release@20261122",
                "Jane@1b2c3d",
                "123@45678",
                "image@sha256:1b2c3d"
            })
    void shouldNotTakeForOne(String text) {
        assertThat(IdentityHash.firstIn(text)).isNull();
    }

    @Test
    void shouldFindWhatTheJvmPrints() {
        Runnable lambda = () -> {};

        assertThat(new Object[] {new Object(), new int[0], new String[0][0], lambda, new Object() {}})
                .allMatch(object -> IdentityHash.firstIn("Text(of=" + object + ")") != null);
    }
}
