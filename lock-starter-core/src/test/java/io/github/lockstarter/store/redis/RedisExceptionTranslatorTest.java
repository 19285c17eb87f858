package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

class RedisExceptionTranslatorTest {

    /** How Redis 6.2 reports what went wrong inside a script; later versions give the error as it is. */
    private static final String IN_SCRIPT_6_2 =
            "ERR Error running script (call to f_1d871d6cf7ffc27f85c1fc19ec17f8f82a62d1c9): @user_script:38: ";

    /** How Redis 6.2 reports an error that a script has caught, with redis.pcall, and returns. */
    private static final String RETURNED_6_2 = "@user_script: 53: ";

    private static final String SUBJECT = "lock 'a'";

    private static LockStoreException translate(Throwable ex, String subject) {
        return RedisExceptionTranslator.translate(ex, "Redis", subject, true, null);
    }

    private static LockStoreException answer(String error) {
        return translate(
                new RedisSystemException("Error in execution", new RedisCommandExecutionException(error)), SUBJECT);
    }

    @Test
    void shouldRecogniseAnInterruptOfTheCallingThread() {
        RedisCommandInterruptedException interrupted = new RedisCommandInterruptedException(new InterruptedException());

        LockStoreException translated =
                translate(new RedisSystemException("Redis command interrupted", interrupted), SUBJECT);

        assertThat(RedisExceptionTranslator.isInterrupt(translated)).isTrue();
        assertThat(translated.isOutcomeUnknown()).isTrue();
        assertThat(translated.isTransient()).isTrue();
        assertThat(translated).hasMessageContaining("'a'").hasMessageContaining("interrupted");
        assertThat(RedisExceptionTranslator.isInterrupt(answer("BUSY"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OOM command not allowed when used memory > 'maxmemory'. script: 1d87, on @user_script:38.",
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "READONLY You can't write against a read only replica. script: 1d87, on @user_script:38.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "CLUSTERDOWN The cluster is down",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "NOREPLICAS Not enough good replicas to write.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."
            })
    void shouldReportARejectionAsTransientAndNotExecuted(String error) {
        LockStoreException translated = answer(error);

        assertThat(translated.isOutcomeUnknown()).isFalse();
        assertThat(translated.isTransient()).isTrue();
        assertThat(translated).hasMessageContaining("'a'").hasMessageContaining(error);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                IN_SCRIPT_6_2 + "@user_script: 38: -OOM command not allowed when used memory > 'maxmemory'. ",
                IN_SCRIPT_6_2 + "@user_script: 38: -READONLY You can't write against a read only replica. ",
                IN_SCRIPT_6_2 + "@user_script: 38: -NOREPLICAS Not enough good replicas to write. ",
                IN_SCRIPT_6_2 + "@user_script: 38: -MISCONF Redis is configured to save RDB snapshots. ",
                RETURNED_6_2 + "-OOM command not allowed when used memory > 'maxmemory'.",
                RETURNED_6_2 + "-READONLY You can't write against a read only replica."
            })
    void shouldReportARejectionByTheOldestServerAsTransient(String error) {
        LockStoreException translated = answer(error);

        assertThat(translated.isOutcomeUnknown()).isFalse();
        assertThat(translated.isTransient()).as("a failover is waited for").isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY You can't write against a read only replica.",
                "READONLY You can't write against a read only replica. script: 1d87, on @user_script:38.",
                IN_SCRIPT_6_2 + "@user_script: 38: -READONLY You can't write against a read only replica. ",
                RETURNED_6_2 + "-READONLY You can't write against a read only replica.\r\n",
                IN_SCRIPT_6_2 + "@user_script: 38: -NOREPLICAS Not enough good replicas to write. ",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
            })
    void shouldRecogniseAServerThatIsNotTheMaster(String error) {
        assertThat(ErrorReplies.isNotMaster(
                        new RedisSystemException("Error in execution", new RedisCommandExecutionException(error))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGTYPE Operation against a key holding the wrong kind of value script: 1d87, on @user_script:15.",
                "WRONGTYPE the key holds a hash that is not a lock",
                IN_SCRIPT_6_2 + "WRONGTYPE Operation against a key holding the wrong kind of value "
            })
    void shouldReportAKeyOfAnotherTypeAsPermanent(String error) {
        LockStoreException translated = answer(error);

        assertThat(translated.isOutcomeUnknown()).isFalse();
        assertThat(translated.isTransient()).isFalse();
        assertThat(translated).hasMessageContaining("belongs to something else").hasMessageContaining("key-prefix");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM User locks has no permissions to run the 'evalsha' command",
                "NOPERM this user has no permissions to access one of the keys used as arguments",
                "ERR The user executing the script can't run this command or subcommand script: 1d87",
                "ERR The user executing the script can't access at least one of the keys mentioned in the command"
                        + " arguments script: 1d87, on @user_script:1.",
                "ERR ACL failure in script: User locks has no permissions to run the 'hset' command script: 1d87, on"
                        + " @user_script:1.",
                "ERR ACL failure in script: No permissions to access a key script: on @user_script:1."
            })
    void shouldReportAMissingPermissionAsPermanent(String error) {
        LockStoreException translated = answer(error);

        assertThat(translated.isTransient()).isFalse();
        assertThat(translated).hasMessageContaining("missing permission").hasMessageContaining(error);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    NOPERM this user has no permissions to access one of the keys used as arguments          | false
                    NOPERM No permissions to access a key                                                    | false
                    NOPERM User locks has no permissions to run the 'evalsha' command                        | false
                    ERR ACL failure in script: User locks has no permissions to run the 'pexpire' command    | true
                    NOPERM ACL failure in script: User locks has no permissions to run the 'pexpire' command | true
                    ERR The user executing the script can't run this command or subcommand script: 1d87      | true
                    """)
    void shouldKnowTheOutcomeOfACommandThatWasDeniedAsAWhole(String error, boolean unknown) {
        assertThat(answer(error).isOutcomeUnknown()).isEqualTo(unknown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOAUTH Authentication required.",
                "WRONGPASS invalid username-password pair or user is disabled."
            })
    void shouldReportAWrongPasswordAsPermanent(String error) {
        LockStoreException translated = answer(error);

        assertThat(translated.isTransient()).isFalse();
        assertThat(translated).hasMessageContaining("password");
    }

    @Test
    void shouldReportAnUnknownOutcomeWithoutReply() {
        assertThat(translate(
                        new QueryTimeoutException("Redis command timed out", new RedisCommandTimeoutException()),
                        SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isUnknown);
        assertThat(translate(
                        new RedisSystemException("Redis exception", new RedisException("Connection reset")), SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isUnknown);
        assertThat(translate(
                        new RedisSystemException("Redis exception", new RedisException("Connection closed")), SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isUnknown);
        assertThat(translate(new NullPointerException("what is this?"), SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isUnknown);
    }

    private static void isUnknown(LockStoreException translated) {
        assertThat(translated.isOutcomeUnknown()).isTrue();
        assertThat(translated.isTransient()).isTrue();
        assertThat(translated).hasMessageContaining("'a'");
    }

    @Test
    void shouldRecogniseAFailureToConnectWithoutItsReason() {
        assertThat(RedisExceptionTranslator.isUnexplained(new RedisConnectionFailureException(
                        "Unable to connect to Redis",
                        new RedisConnectionException(
                                "Unable to connect to 127.0.0.1:6379",
                                new IllegalStateException("RedisHandshakeHandler not registered")))))
                .isTrue();
        assertThat(RedisExceptionTranslator.isUnexplained(new RedisConnectionFailureException(
                        "Unable to connect to Redis", new RedisCommandExecutionException("WRONGPASS invalid"))))
                .isFalse();
    }

    @Test
    void shouldReportThatNothingWasSentWithoutAConnection() {
        assertThat(translate(
                        new RedisSystemException(
                                "Redis exception",
                                new RedisException("Currently not connected. Commands are rejected.")),
                        SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isNotConnected);
        assertThat(translate(new RedisConnectionFailureException("Unable to connect to Redis"), SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isNotConnected);
        assertThat(translate(
                        new IllegalStateException("LettuceConnectionFactory was destroyed and cannot be used"),
                        SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isNotConnected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    WRONGPASS invalid username-password pair or user is disabled. | username and password
                    NOAUTH HELLO must be called with the client already authenticated | username and password
                    ERR This instance has cluster support disabled                | set spring.data.redis.host and port instead
                    Cannot obtain master using SENTINEL MASTER. Command timed out | spring.data.redis.sentinel.master
                    No Sentinel names it (a:1: NOAUTH Authentication required.)   | spring.data.redis.sentinel.password
                    No Sentinel names it (a:1: WRONGPASS invalid)                 | spring.data.redis.sentinel.password
                    No Sentinel names it (a:1: ERR No such master with that name) | spring.data.redis.sentinel.master
                    Connection initialization timed out after 3 second(s)         | spring.data.redis.ssl.enabled
                    Connection refused                                            | whether Redis runs
                    """)
    void shouldNameTheRemedyForAFailureToConnect(String problem, String remedy) {
        RuntimeException failure = new RedisConnectionFailureException(
                "Unable to connect to Redis", new RedisException("in Lettuce:\n\n" + problem));

        assertThat(translate(failure, SUBJECT))
                .satisfies(RedisExceptionTranslatorTest::isNotConnected)
                .hasMessageContaining("(in Lettuce: " + problem + ")")
                .hasMessageContaining(remedy);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    READONLY You can't write against a read only replica. | is a replica
                    MOVED 3999 127.0.0.1:6381                             | spring.data.redis.cluster.nodes
                    CROSSSLOT Keys in request don't hash to the same slot | A single shard
                    ERR 'EVAL' command keys must in same slot             | A single shard
                    OOM command not allowed when used memory > 'maxmemory'. | Raise its maxmemory
                    ERR max number of clients reached                     | Raise its maxclients
                    ERR unknown command 'evalsha'                         | Redis 6.2
                    """)
    void shouldNameTheRemedyForARejection(String error, String remedy) {
        assertThat(answer(error)).hasMessageContaining(error).hasMessageContaining(remedy);
    }

    /** Answers of Redis, Valkey and Redis Enterprise, of Tair's proxy, and of servers that notice it in the script. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CROSSSLOT Keys in request don't hash to the same slot",
                "CROSSSLOT Keys in request don't hash to the same slot (context='within script', command='HGET')",
                "ERR CROSSSLOT Keys in request don't hash to the same slot",
                "ERR 'EVALSHA' command keys must in same slot",
                "ERR eval/evalsha command keys must in same slot",
                "ERR Script attempted to access keys that do not hash to the same slot script: 1d87, on @user_script:26.",
                "ERR Error running script (call to f_1d87): @user_script:26: @user_script: 26: Lua script attempted to"
                        + " access a non local key in a cluster node",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN Hash slot not served",
                "MOVED 3999 127.0.0.1:6381"
            })
    void shouldRecogniseARejectionOfSeveralSlots(String error) {
        assertThat(ErrorReplies.isCrossSlot(new RedisSystemException("", new RedisCommandExecutionException(error))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM this user has no permissions to access one of the keys used as arguments",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "NOSCRIPT No matching script. Please use EVAL.",
                "ERR unknown command 'evalsha'"
            })
    void shouldNotTakeAnotherRejectionForOneOfSeveralSlots(String error) {
        assertThat(ErrorReplies.isCrossSlot(new RedisCommandExecutionException(error)))
                .isFalse();
    }

    private static void isNotConnected(LockStoreException translated) {
        assertThat(translated.isOutcomeUnknown()).isFalse();
        assertThat(translated.isTransient()).isTrue();
        assertThat(translated).hasMessageContaining("not connected");
    }
}
