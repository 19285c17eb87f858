package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the profiles of the proxy refuse, with the texts of the vendors, and what they leave as it is. */
@RedisTest
class ServiceProfileTest {

    private static final Duration IDLE = Duration.ofMillis(200);
    private static final String PUBLISH = "return redis.call('PUBLISH', ARGV[1], 'hello')";
    private static final String OTHER_SLOT = "ERR Script attempted to access keys that do not hash to the same slot";
    private static final String NOT_FROM_SCRIPT = "ERR This Redis command is not allowed from script";

    private final RedisServer server;
    private final RedisCli direct;

    private @Nullable FaultProxy proxy;
    private @Nullable RedisCli client;

    ServiceProfileTest(RedisServer server, RedisCli direct) {
        this.server = server;
        this.direct = direct;
    }

    @AfterEach
    void close() {
        if (client != null) {
            client.close();
        }
        if (proxy != null) {
            proxy.close();
        }
    }

    private RedisCli connect(ServiceProfile profile) {
        proxy = FaultProxy.inFrontOf(server.port(), profile);
        client = RedisCli.connect(proxy.port());
        return client;
    }

    private static String[] command(String... words) {
        return words;
    }

    private static String[] eval(String text, String... keysAndArguments) {
        int keys = (int)
                Stream.of(keysAndArguments).filter(each -> each.startsWith("{")).count();
        return Stream.concat(Stream.of("EVAL", text, String.valueOf(keys)), Stream.of(keysAndArguments))
                .toArray(String[]::new);
    }

    private static String sha1(String text) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(
                        ServiceProfile.tair(),
                        command("WAIT", "0", "0"),
                        "ERR command wait not support for normal user"),
                arguments(
                        ServiceProfile.tair(),
                        command("HELLO", "3"),
                        "ERR unknown command 'HELLO', with args beginning with: '3' "),
                arguments(
                        ServiceProfile.tair(),
                        eval("local key = KEYS[1] return redis.call('GET', key)", "{a}"),
                        ScriptTextCheck.KEYS_ARRAY),
                arguments(
                        ServiceProfile.tair(),
                        command("SCRIPT", "LOAD", "return redis.call(ARGV[1], KEYS[1])"),
                        ScriptTextCheck.LITERAL),
                arguments(
                        ServiceProfile.tairWithoutCheck(),
                        eval("return 1"),
                        "ERR for redis cluster, eval/evalsha number of keys can't be negative or zero"),
                arguments(
                        ServiceProfile.tairWithoutCheck(),
                        eval("return 1", "{a}", "{b}"),
                        "ERR eval/evalsha command keys must be in same slot"),
                arguments(
                        ServiceProfile.tairWithoutCheck(),
                        command("MSETNX", "a", "1", "b", "2"),
                        "ERR 'msetnx' command keys must in same slot"),
                arguments(ServiceProfile.elasticache(), eval(PUBLISH, "{a}", "other"), OTHER_SLOT),
                arguments(
                        ServiceProfile.elasticache(),
                        command("CONFIG", "GET", "port"),
                        "ERR unknown command 'CONFIG', with args beginning with: 'GET' 'port' "),
                arguments(ServiceProfile.serverless(), eval(PUBLISH, "{a}", "other"), OTHER_SLOT),
                arguments(
                        ServiceProfile.serverless(),
                        command("KEYS", "*"),
                        "ERR unknown command 'KEYS', with args beginning with: '*' "),
                arguments(
                        ServiceProfile.serverless(),
                        eval("return redis.call('MEMORY', 'USAGE', KEYS[1])", "{a}"),
                        NOT_FROM_SCRIPT),
                arguments(ServiceProfile.noTime(), eval("return redis.call('TIME')"), NOT_FROM_SCRIPT),
                arguments(
                        ServiceProfile.nothing(),
                        command("INFO", "server"),
                        "ERR unknown command 'INFO', with args beginning with: 'server' "),
                arguments(
                        ServiceProfile.nothing(),
                        command("CLIENT", "ID"),
                        "ERR unknown command 'CLIENT', with args beginning with: 'ID' "),
                arguments(
                        ServiceProfile.crossslot(),
                        command("DEL", "a", "b"),
                        "CROSSSLOT Keys in request don't hash to the same slot"),
                arguments(
                        ServiceProfile.crossslot(),
                        eval("return 1", "{a}", "{b}"),
                        "CROSSSLOT Keys in request don't hash to the same slot"),
                arguments(ServiceProfile.huawei(), eval(PUBLISH, "{a}", "other"), NOT_FROM_SCRIPT),
                arguments(
                        ServiceProfile.huawei(),
                        eval("return 1"),
                        "ERR eval/evalsha numkeys must be bigger than zero in redis cluster mode"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refuses(ServiceProfile profile, String[] command, String error) {
        RedisCli refused = connect(profile);

        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> refused.command(command))
                .satisfies(ex -> assertThat(String.valueOf(ex.getMessage()).replaceFirst(" script: .*", ""))
                        .as("error of %s", profile)
                        .isEqualTo(error));
        assertThat(refused.command("SET", "key", "value")).as("the next reply").isEqualTo("OK");
    }

    static Stream<Arguments> permissions() {
        return Stream.of(
                arguments(ServiceProfile.plain(), command("CONFIG", "SET", "maxmemory", "0"), "OK"),
                arguments(ServiceProfile.tair(), eval("return redis.call('SET', KEYS[1], ARGV[1])", "{a}", "1"), "OK"),
                arguments(ServiceProfile.tair(), command("CONFIG", "SET", "no-such", "1"), "OK"),
                arguments(ServiceProfile.tair(), command("DEL", "a", "b"), 0L),
                arguments(
                        ServiceProfile.tairWithoutCheck(),
                        eval("local k = KEYS[1] return redis.call('SET', k, 1)", "{a}"),
                        "OK"),
                arguments(ServiceProfile.elasticache(), eval(PUBLISH, "{a}", "channel:{a}"), 0L),
                arguments(ServiceProfile.serverless(), command("PUBLISH", "channel", "hello"), 0L),
                arguments(ServiceProfile.scaling(), eval("return redis.call('EXISTS', KEYS[1])", "{a}"), 0L),
                arguments(ServiceProfile.silent(IDLE), command("PUBLISH", "channel", "hello"), 0L),
                arguments(ServiceProfile.noCounts(), eval(PUBLISH, "channel"), 0L),
                arguments(ServiceProfile.noTime(), eval("return redis.call('EXISTS', KEYS[1])", "{a}"), 0L),
                arguments(ServiceProfile.nothing(), command("EXISTS", "a"), 0L),
                arguments(ServiceProfile.crossslot(), command("DEL", "x{a}", "y{a}"), 0L),
                arguments(ServiceProfile.huawei(), command("PUBLISH", "channel", "hello"), 0L),
                arguments(ServiceProfile.idleDrop(IDLE), command("EXISTS", "a"), 0L));
    }

    @ParameterizedTest
    @MethodSource("permissions")
    void executes(ServiceProfile profile, String[] command, Object reply) {
        assertThat(connect(profile).command(command)).as("reply of %s", profile).isEqualTo(reply);
    }

    @Test
    void anErrorInAScriptNamesTheClientsScriptAndTheLine() throws Exception {
        String text = "local x = 1\nif x then\n  local y = redis.call('TIME')\n  return y\nend";

        assertThatThrownBy(() -> connect(ServiceProfile.noTime()).command(eval(text)))
                .hasMessage(NOT_FROM_SCRIPT + " script: " + sha1(text) + ", on @user_script:3.");
    }

    @Test
    void aRefusedCommandIsAnErrorOnlyWhereItIsReached() {
        RedisCli cli = connect(ServiceProfile.noTime());
        String text = "if ARGV[1] == '1' then return redis.call(string.lower('TIME')) end"
                + " local call = redis.pcall return call('TIME').err";

        assertThat(cli.command(eval(text, "0"))).isEqualTo(NOT_FROM_SCRIPT);
        assertThatThrownBy(() -> cli.command(eval(text, "1"))).hasMessageStartingWith(NOT_FROM_SCRIPT);
    }

    @Test
    void aScriptIsKnownByTheDigestOfItsOwnText() throws Exception {
        RedisCli cli = connect(ServiceProfile.noTime());
        String text = "return redis.call('GET', KEYS[1])";
        String sha = sha1(text);
        direct.command("SCRIPT", "LOAD", text);
        direct.command("SET", "a", "1");

        assertThatThrownBy(() -> cli.command("EVALSHA", sha, "1", "a"))
                .as("the server knows the text without the rules")
                .hasMessage("NOSCRIPT No matching script. Please use EVAL.");
        assertThat(cli.command("SCRIPT", "EXISTS", sha)).isEqualTo(List.of(0L));
        assertThat(cli.command("SCRIPT", "LOAD", text)).isEqualTo(sha);
        assertThat(cli.command("SCRIPT", "EXISTS", sha)).isEqualTo(List.of(1L));
        assertThat(cli.command("EVALSHA", sha, "1", "a")).isEqualTo("1");

        String other = "return redis.call('GET', KEYS[1]) .. '!'";
        assertThat(cli.command("EVAL", other, "1", "a")).isEqualTo("1!");
        assertThat(cli.command("EVALSHA", sha1(other), "1", "a")).isEqualTo("1!");
        direct.command("SCRIPT", "FLUSH");
        assertThatThrownBy(() -> cli.command("EVALSHA", sha, "1", "a")).hasMessageStartingWith("NOSCRIPT");
    }

    @Test
    void repliesKeepTheOrderOfCommands() {
        RedisCli cli = connect(ServiceProfile.nothing());
        for (int i = 0; i < 200; i++) {
            cli.send("ECHO", String.valueOf(i));
            cli.send("INFO");
        }
        for (int i = 0; i < 200; i++) {
            assertThat(cli.read()).isEqualTo(String.valueOf(i));
            assertThatThrownBy(cli::read).isInstanceOf(RedisErrorException.class);
        }
    }

    @Test
    void aRefusedCommandEndsItsTransaction() {
        RedisCli cli = connect(ServiceProfile.nothing());
        cli.command("MULTI");
        assertThatThrownBy(() -> cli.command("WAIT", "0", "0")).hasMessageStartingWith("ERR unknown command 'WAIT'");

        assertThatThrownBy(() -> cli.command("EXEC")).hasMessageStartingWith("EXECABORT");
    }

    @Test
    void messagesAndRepliesShareAConnection() {
        RedisCli cli = connect(ServiceProfile.nothing());
        cli.command("HELLO", "3");
        cli.command("SUBSCRIBE", "channel");
        direct.command("PUBLISH", "channel", "hello");

        assertThat(cli.read()).isEqualTo(List.of("message", "channel", "hello"));
        assertThatThrownBy(() -> cli.command("CLIENT", "ID")).isInstanceOf(RedisErrorException.class);
        direct.command("PUBLISH", "channel", "again");
        assertThat(cli.read()).isEqualTo(List.of("message", "channel", "again"));
    }

    @Test
    void aLargeArgumentAndAnyBytesPassAGuardedScript() {
        String large = "é\r\n".repeat(300_000);

        assertThat(connect(ServiceProfile.noTime()).command("EVAL", "return ARGV[1]", "0", large))
                .isEqualTo(large);
    }

    /** Only that of a script on another shard is lost. */
    @Test
    void aScriptsMessageIsLostBehindTair() {
        RedisCli cli = connect(ServiceProfile.tairWithoutCheck());
        direct.command("SUBSCRIBE", "other", "channel:{a}");
        direct.read();

        assertThat(cli.command(eval(PUBLISH, "{a}", "other"))).isEqualTo(0L);
        assertThat(cli.command(eval(PUBLISH, "{a}", "channel:{a}"))).isEqualTo(1L);

        assertThat(direct.read()).isEqualTo(List.of("message", "channel:{a}", "hello"));
    }

    /** The proxy and the guard of scripts count slots each for itself. */
    @Test
    void slotsAreThoseOfRedis() {
        assertThat(HashSlot.of("123456789")).isEqualTo(12_739);
        assertThat(HashSlot.of("a{foo}b{c}")).isEqualTo(HashSlot.of("foo")).isEqualTo(12_182);
        assertThat(HashSlot.of("a{}{foo}")).isNotEqualTo(12_182);
        String channel = IntStream.range(0, 1_000_000)
                .mapToObj(i -> "channel:" + i)
                .filter(each -> HashSlot.of(each) == HashSlot.of("{a}"))
                .findFirst()
                .orElseThrow();

        assertThat(connect(ServiceProfile.elasticache()).command(eval(PUBLISH, "{a}", channel)))
                .isEqualTo(0L);
    }

    @Test
    void scriptsCountNoSubscriber() {
        RedisCli cli = connect(ServiceProfile.noCounts());
        direct.command("SUBSCRIBE", "channel");

        assertThat(cli.command(eval("return redis.call('PUBSUB', 'NUMSUB', ARGV[1])", "channel")))
                .isEqualTo(List.of("channel", 0L));
        assertThat(cli.command("PUBSUB", "NUMSUB", "channel")).isEqualTo(List.of("channel", 1L));
        assertThat(cli.command(eval(PUBLISH, "channel")))
                .as("the message arrives")
                .isEqualTo(1L);
    }

    @Test
    void scriptsFailWhileTheServiceScales() throws Exception {
        RedisCli cli = connect(ServiceProfile.scaling());
        String text = "local x = 1\nreturn redis.call('EXISTS', KEYS[1])";
        proxy().scaleFor(Duration.ofHours(1));

        assertThatThrownBy(() -> cli.command(eval(text, "{a}")))
                .hasMessage("ERR Script attempted to access a non local key in a cluster node script: " + sha1(text)
                        + ", on @user_script:2.");
        proxy().scaleFor(Duration.ZERO);
        assertThat(cli.command(eval(text, "{a}"))).isEqualTo(0L);
    }

    @Test
    void anIdleSubscriptionIsForgottenWithoutASign() {
        RedisCli cli = connect(ServiceProfile.silent(IDLE));
        proxy();
        try (RedisCli subscriber = RedisCli.connect(proxy().port(), IDLE.multipliedBy(3))) {
            subscriber.command("SUBSCRIBE", "channel");
            assertThatThrownBy(subscriber::read).as("idle").hasCauseInstanceOf(SocketTimeoutException.class);

            assertThat(direct.command("PUBLISH", "channel", "hello"))
                    .as("the server still has the subscription")
                    .isEqualTo(1L);
            assertThatThrownBy(subscriber::read).hasCauseInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> subscriber.command("PING")).hasCauseInstanceOf(SocketTimeoutException.class);
        }
        assertThat(cli.command("PING")).as("another connection").isEqualTo("PONG");
    }

    @Test
    void anIdleConnectionIsClosed() {
        RedisCli cli = connect(ServiceProfile.idleDrop(IDLE));
        cli.command("PING");

        assertThatThrownBy(cli::read).hasMessageContaining("Connection closed");
        await().until(() -> proxy().connections() == 0);
    }

    @Test
    void aClusterConsistsOfTheProxy() {
        RedisCli cli = connect(ServiceProfile.serverless());

        assertThat(String.valueOf(cli.command("CLUSTER", "NODES")))
                .contains("127.0.0.1:" + proxy().port() + "@", "myself,master", "0-16383");
        assertThat(String.valueOf(cli.command("CLUSTER", "SLOTS")))
                .startsWith("[[0, 16383, [127.0.0.1, " + proxy().port());
        assertThat(cli.info("all").lines())
                .contains(
                        "redis_mode:cluster",
                        "server_name:valkey",
                        "cluster_enabled:1",
                        "maxmemory_policy:volatile-lru");
    }

    @Test
    void commandsAndRepliesOverADistanceKeepTheirOrder() {
        Duration up = Duration.ofMillis(60);
        Duration down = Duration.ofMillis(40);
        proxy = FaultProxy.inFrontOf(server.port(), ServiceProfile.plain(), up, down);
        client = RedisCli.connect(proxy.port());
        proxy.heal();
        long begin = System.nanoTime();
        IntStream.range(0, 500).forEach(i -> client.send("RPUSH", "list", String.valueOf(i)));
        for (long i = 1; i <= 500; i++) {
            assertThat(client.read()).isEqualTo(i);
        }

        assertThat(System.nanoTime() - begin)
                .isGreaterThanOrEqualTo(up.plus(down).toNanos());
        assertThat(direct.command("LRANGE", "list", "0", "-1"))
                .isEqualTo(IntStream.range(0, 500).mapToObj(String::valueOf).toList());
    }

    private FaultProxy proxy() {
        return Objects.requireNonNull(proxy);
    }
}
