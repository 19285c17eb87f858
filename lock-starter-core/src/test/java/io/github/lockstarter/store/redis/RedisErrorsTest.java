package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import redis.clients.jedis.exceptions.JedisAccessControlException;

class RedisErrorsTest {

    private static LockStoreException translate(Throwable ex) {
        return RedisErrors.translate(ex, "Redis", "lock 'a'", true, null);
    }

    private static Throwable reply(String error) {
        return new RedisSystemException("Error in execution", new RedisCommandExecutionException(error));
    }

    /** Redis 6.2 puts {@code @user_script} before an error of a script, and a minus sign if a script returns it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', nullValues = "-", textBlock = """
            OOM command not allowed when used memory > 'maxmemory'. script: 1d87      | true  | Raise its maxmemory
            ERR Error running script (call to f_1d): @user_script:38: @user_script: 38: -OOM no | true | Raise its maxmemory
            @user_script: 53: -OOM command not allowed when used memory > 'maxmemory'. | true | Raise its maxmemory
            READONLY You can't write against a read only replica. script: 1d87        | true  | is a replica
            @user_script: 53: -READONLY You can't write against a read only replica.  | true  | is a replica
            MOVED 3999 127.0.0.1:6381                         | true  | spring.data.redis.cluster.nodes
            ERR max number of clients reached                 | true  | Raise its maxclients
            LOADING Redis is loading the dataset in memory    | true  | -
            BUSY Redis is busy running a script.              | true  | -
            MASTERDOWN Link with MASTER is down               | true  | -
            CLUSTERDOWN The cluster is down                   | true  | -
            TRYAGAIN Multiple keys request during rehashing   | true  | -
            NOREPLICAS Not enough good replicas to write.     | true  | -
            MISCONF Redis is configured to save RDB snapshots | true  | -
            WRONGTYPE the key holds a hash that is not a lock | false | key-prefix
            ERR Error running script (call to f_1d): @user_script:15: WRONGTYPE Operation | false | key-prefix
            LOCKKIND the lock is in use as a lock             | false | Use different names
            LOCKLIMIT the lock has 10000 holders              | false | several locks
            ERR WAIT cannot be used with replica instances.   | true  | -
            NOPERM User locks has no permissions to run the 'evalsha' command | false | missing permission
            NOPERM No permissions to access a key             | false | missing permission
            """)
    void shouldKnowThatARejectedCommandWasNotExecuted(String error, boolean isTransient, String remedy) {
        LockStoreException translated = translate(reply(error));

        assertThat(translated.isOutcomeUnknown()).isFalse();
        assertThat(translated.isTransient()).as("waited for").isEqualTo(isTransient);
        assertThat(translated).hasMessageContaining("'a'").hasMessageContaining(RedisErrors.unwrap(error));
        assertThat(translated).hasMessageContaining(remedy != null ? remedy : "");
    }

    /** What a script wrote before its error stays. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            NOPERM ACL failure in script: User locks has no permissions to run the 'pexpire' command | missing permission
            ERR ACL failure in script: No permissions to access a key script: on @user_script:1.     | missing permission
            ERR The user executing the script can't run this command or subcommand script: 1d87     | missing permission
            NOAUTH Authentication required.                       | username and password
            WRONGPASS invalid username-password pair              | username and password
            CROSSSLOT Keys in request don't hash to the same slot | A single shard
            ERR 'EVAL' command keys must in same slot             | A single shard
            ERR unknown command 'evalsha'                         | Redis 6.2
            Unknown Redis command called from Lua script          | rename-command
            ERR Unknown Redis command called from script script: 1d87 | rename-command
            unsupported command 'eval'                            | proxy
            Wrong number of args calling Redis command From Lua script | Redis 6.2
            INTERNAL no such thing                                | Redis 6.2
            """)
    void shouldNotKnowTheOutcomeOfAnErrorWithinAScript(String error, String remedy) {
        LockStoreException translated = translate(reply(error));

        assertThat(translated.isOutcomeUnknown()).isTrue();
        assertThat(translated.isTransient()).as("waited for").isFalse();
        assertThat(translated).hasMessageContaining(error).hasMessageContaining(remedy);
    }

    static Stream<Throwable> repliesWithUnknownCodes() {
        String error = "WHATEVER this means";
        return Stream.of(
                reply(error),
                new InvalidDataAccessApiUsageException("of Jedis", new JedisAccessControlException(error)),
                new RedisSystemException(error, null));
    }

    @ParameterizedTest
    @MethodSource("repliesWithUnknownCodes")
    void shouldTakeAReplyWithAnUnknownCodeForAnAnswer(Throwable failure) {
        LockStoreException translated = translate(failure);

        assertThat(translated.isTransient()).as("waited for").isFalse();
        assertThat(translated)
                .hasMessageContaining("rejected")
                .hasMessageContaining("WHATEVER this means")
                .hasMessageNotContaining("did not answer");
    }

    /** The proxy answers instead of the server. */
    @ParameterizedTest
    @ValueSource(strings = {"no upstream host", "upstream failure", "upstream protocol error"})
    void shouldTakeTheReplyOfAProxyWithoutServerForSilence(String error) {
        LockStoreException translated = translate(reply(error));

        assertThat(translated.isOutcomeUnknown()).isTrue();
        assertThat(translated.isTransient()).as("waited for").isTrue();
        assertThat(translated).hasMessageContaining(error);
    }

    /** Its client goes on with a connection that answers, so that the configuration need not be wrong. */
    @Test
    void shouldNameTheConnectionOfTheApplicationThatLeadsToAReplica() {
        Throwable failure = reply("READONLY You can't write against a read only replica.");

        assertThat(RedisErrors.translate(failure, "Redis", "a", false, null))
                .hasMessageContaining("distributed-lock.redis.private-connection=true");
        assertThat(translate(failure)).hasMessageNotContaining("private-connection");
    }

    /** The name of a lock or of a host says nothing about the server. */
    @Test
    void shouldNotTakeANameForTheRefusalOfAMessage() {
        LockStoreException failure =
                new LockStoreException("Redis at pubsub.example.org: lock 'publish-report' failed", null, true, true);
        assertThat(RedisErrors.isMessageRefused(failure))
                .as("a failure without a reply is the refusal of a message")
                .isFalse();
        assertThat(RedisErrors.isMessageRefused(
                        new RedisSystemException("ERR This Redis command is not allowed from script: PUBLISH", null)))
                .as("a reply is the refusal of a message")
                .isTrue();
    }

    @Test
    void shouldNotKnowTheOutcomeOfARejectionThatMayBeTheSecondReply() {
        LockStoreException translated = RedisErrors.translate(reply("OOM"), "Redis", "a", false, null);

        assertThat(translated.isOutcomeUnknown()).isTrue();
    }

    /** Texts of services: ElastiCache while it scales, Tair's proxy, ElastiCache Serverless. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ERR Script attempted to access a non local key in a cluster node script: 1d87 | true | false | moving the slot
            ERR internal error | true | true | failed to execute a command
            ERR bad lua script for redis cluster, all the keys that the script uses should be passed | false | false | script_check_enable
            ERR command eval not support for normal user | false | false | connect without the proxy
            ERR This Redis command is not allowed from script script: 1d87, on @user_script:13. | false | true | forbids a command in scripts
            """)
    void shouldKnowWhatServicesAnswer(String error, boolean isTransient, boolean isOutcomeUnknown, String text) {
        LockStoreException translated = translate(reply(error));

        assertThat(translated.isTransient())
                .as("repeated until the end of the wait")
                .isEqualTo(isTransient);
        assertThat(translated.isOutcomeUnknown()).as("the outcome is unknown").isEqualTo(isOutcomeUnknown);
        assertThat(translated).hasMessageContaining(text).hasMessageNotContaining("did not answer");
    }

    static Stream<Throwable> withoutReply() {
        return Stream.of(
                new RedisSystemException("Redis exception", new RedisException("Connection closed")),
                new RedisSystemException("", new RedisCommandInterruptedException(new InterruptedException())),
                new CancellationException(),
                new NullPointerException("what is this?"));
    }

    @ParameterizedTest
    @MethodSource("withoutReply")
    void shouldReportAnUnknownOutcomeWithoutReply(Throwable failure) {
        LockStoreException translated = translate(failure);

        assertThat(translated.isOutcomeUnknown()).isTrue();
        assertThat(translated.isTransient()).isTrue();
        assertThat(translated).hasMessageContaining("'a'");
        assertThat(RedisErrors.isInterrupt(translated))
                .isEqualTo(translated.getMessage().contains("interrupted"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            WRONGPASS invalid username-password pair or user is disabled. | username and password
            NOAUTH HELLO must be called with the client already           | username and password
            NOPERM User locks has no permissions to run the 'cluster'   | missing permission
            ERR This instance has cluster support disabled                | set spring.data.redis.host and port instead
            Cannot obtain master using SENTINEL MASTER.                   | spring.data.redis.sentinel.master
            No Sentinel names it (a:1: NOAUTH Authentication required.)   | spring.data.redis.sentinel.password
            Connection initialization timed out after 3 second(s)         | spring.data.redis.ssl.enabled
            Connection refused                                            | whether Redis runs
            """)
    void shouldReportThatNothingWasSentWithoutAConnection(String problem, String remedy) {
        RedisException cause = new RedisException("in Lettuce:\n\n" + problem);
        Throwable rejected =
                new RedisSystemException("", new RedisException("Currently not connected. Commands are rejected."));

        for (LockStoreException translated : new LockStoreException[] {
            translate(new RedisConnectionFailureException("Unable to connect to Redis", cause)),
            RedisErrors.translate(rejected, "Redis", "lock 'a'", true, cause)
        }) {
            assertThat(translated.isOutcomeUnknown()).isFalse();
            assertThat(translated.isTransient()).isTrue();
            assertThat(translated)
                    .hasMessageContaining("'a'")
                    .hasMessageContaining("(in Lettuce: " + problem + ")")
                    .hasMessageContaining(remedy);
        }
    }

    @Test
    void shouldRecogniseAFailureToConnectWithoutItsReason() {
        assertThat(RedisErrors.isUnexplained(new RedisConnectionException(
                        "Unable to connect", new IllegalStateException("RedisHandshakeHandler not registered"))))
                .isTrue();
        assertThat(RedisErrors.isUnexplained(reply("WRONGPASS"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY You can't write against a read only replica. script: 1d87, on @user_script:38.",
                "@user_script: 53: -READONLY You can't write against a read only replica.\r\n",
                "ERR Error running script (call to f_1d): @user_script:38: @user_script: 38: -NOREPLICAS Not enough",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "ERR WAIT cannot be used with replica instances.",
                "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"
            })
    void shouldRecogniseAServerThatIsNotTheMaster(String error) {
        assertThat(RedisErrors.isNotMaster(reply(error)))
                .as("%s: not the master", error)
                .isTrue();
    }

    /** Each such error would open another connection. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOVED 3999 127.0.0.1:6381",
                "CLUSTERDOWN The cluster is down",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "LOADING Redis is loading the dataset in memory",
                "NOPERM No permissions to access a key"
            })
    void shouldNotLookForAnotherMasterBecauseOfOtherErrors(String error) {
        assertThat(RedisErrors.isNotMaster(reply(error)))
                .as("%s: not the master", error)
                .isFalse();
    }

    /** Answers of Redis, Valkey and Redis Enterprise, of Tair's proxy, and of servers that notice it in the script. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            CROSSSLOT Keys in request don't hash to the same slot     | true
            ERR CROSSSLOT Keys in request don't hash to the same slot | true
            ERR 'EVALSHA' command keys must in same slot              | true
            ERR eval/evalsha command keys must in same slot           | true
            ERR Script attempted to access keys that do not hash to the same slot script: 1d87 | true
            ERR Error running script: @user_script:26: Lua script attempted to access a non local key in a cluster | true
            TRYAGAIN Multiple keys request during rehashing of slot   | true
            CLUSTERDOWN Hash slot not served                          | true
            MOVED 3999 127.0.0.1:6381                                 | true
            READONLY You can't write against a read only replica.     | false
            NOPERM No permissions to access a key                     | false
            OOM command not allowed when used memory > 'maxmemory'.   | false
            """)
    void shouldRecogniseARejectionOfSeveralSlots(String error, boolean recognised) {
        assertThat(RedisErrors.isCrossSlot(reply(error))).isEqualTo(recognised);
    }

    /** Words of the pools of both clients. */
    @ParameterizedTest
    @ValueSource(strings = {"Timeout waiting for idle object, borrowMaxWaitDuration=PT1S", "Pool exhausted"})
    void shouldRecogniseAPoolWithoutAConnection(String problem) {
        Throwable failure = new RedisConnectionFailureException("no connection", new IllegalStateException(problem));

        assertThat(RedisErrors.isExhausted(failure))
                .as("exhausted: %s", problem)
                .isTrue();
        assertThat(RedisErrors.isExhausted(reply("OOM"))).as("exhausted: OOM").isFalse();
    }

    /** Proxies have errors of their own. */
    @ParameterizedTest
    @CsvSource({
        "ERR unknown command 'EVAL', true",
        "command disabled by the proxy, true",
        "ERR EVAL is not allowed, true",
        "LOADING Redis is loading the dataset, false",
        "OOM command not allowed, false"
    })
    void shouldRecogniseACommandThatTheServerDoesNotSupport(String error, boolean isUnsupported) {
        assertThat(RedisErrors.isUnsupported(error))
                .as("unsupported: %s", error)
                .isEqualTo(isUnsupported);
    }
}
