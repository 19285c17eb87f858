package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a service or proxy that offers Redis, which a {@link FaultProxy} applies in front of a plain server.
 * Error texts are those of the vendors where they are published. A command that a profile does not mention works as on
 * the server.
 */
public final class ServiceProfile {

    /** What a command with a channel does in a script whose first key is in another slot. */
    enum OtherSlot {
        WORKS,
        REFUSED,
        /** It is accepted, and no subscriber is found. */
        LOST
    }

    /** Stands for the error of a server that does not have the command. */
    static final String UNKNOWN = "ERR unknown command";

    private static final String NOT_FROM_SCRIPT = "ERR This Redis command is not allowed from script";
    private static final String CROSS_SLOT = "CROSSSLOT Keys in request don't hash to the same slot";

    private final String name;
    private final Map<String, String> refused = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, String> refusedInScripts = new TreeMap<>();
    private final Map<String, String> info = new TreeMap<>();
    private OtherSlot otherSlot = OtherSlot.WORKS;
    private boolean countsNothing;
    private boolean checksTexts;
    private boolean isCluster;
    private boolean answersCluster;
    private boolean splitsCommands;
    private boolean ignoresConfigSet;
    private int mostArguments = Integer.MAX_VALUE;
    private @Nullable String withoutKey;
    private @Nullable String scriptCrossSlot;
    private @Nullable String commandCrossSlot;
    private @Nullable Duration forgetsSubscriptions;
    private @Nullable Duration closesIdle;

    private ServiceProfile(String name) {
        this.name = name;
    }

    /** A server without further rules. */
    public static ServiceProfile plain() {
        return new ServiceProfile("plain");
    }

    /** Alibaba Cloud Tair behind its proxy, as it is by default: it checks the texts of scripts. */
    public static ServiceProfile tair() {
        ServiceProfile profile = tair("tair");
        profile.checksTexts = true;
        return profile;
    }

    /**
     * The same with {@code script_check_enable 0}: scripts publish on the shard of their key, where no client
     * subscribes.
     */
    public static ServiceProfile tairWithoutCheck() {
        return tair("tairWithoutCheck");
    }

    private static ServiceProfile tair(String name) {
        ServiceProfile profile = new ServiceProfile(name);
        profile.refuse(UNKNOWN, "HELLO");
        for (String command : new String[] {"CLIENT INFO", "CLIENT ID", "WAIT"}) {
            profile.refuse("ERR command " + command.toLowerCase(Locale.ROOT) + " not support for normal user", command);
        }
        profile.ignoresConfigSet = true;
        profile.answersCluster = true;
        profile.splitsCommands = true;
        profile.otherSlot = OtherSlot.LOST;
        profile.withoutKey = "ERR for redis cluster, eval/evalsha number of keys can't be negative or zero";
        profile.scriptCrossSlot = "ERR eval/evalsha command keys must be in same slot";
        profile.commandCrossSlot = "ERR '%s' command keys must in same slot";
        profile.info.put("maxmemory_policy", "volatile-lru");
        return profile;
    }

    /** ElastiCache for Valkey, node-based in cluster mode: scripts publish to channels of their slot only. */
    public static ServiceProfile elasticache() {
        return elasticache("elasticache");
    }

    private static ServiceProfile elasticache(String name) {
        ServiceProfile profile = new ServiceProfile(name);
        profile.refuse(
                UNKNOWN,
                "ACL",
                "BGREWRITEAOF",
                "BGSAVE",
                "CONFIG",
                "DEBUG",
                "MIGRATE",
                "PSYNC",
                "REPLICAOF",
                "SAVE",
                "SHUTDOWN",
                "SLAVEOF",
                "SYNC");
        profile.isCluster = true;
        profile.answersCluster = true;
        profile.otherSlot = OtherSlot.REFUSED;
        profile.scriptCrossSlot = CROSS_SLOT;
        profile.commandCrossSlot = CROSS_SLOT;
        profile.info.put("redis_version", "7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1");
        profile.info.put("redis_mode", "cluster");
        profile.info.put("os", "Amazon ElastiCache");
        profile.info.put("cluster_enabled", "1");
        return profile;
    }

    /** ElastiCache Serverless for Valkey: one virtual node with all slots. */
    public static ServiceProfile serverless() {
        return serverless("serverless");
    }

    private static ServiceProfile serverless(String name) {
        ServiceProfile profile = elasticache(name);
        profile.refuse(UNKNOWN, "KEYS");
        profile.refusedInScripts.put("MEMORY", NOT_FROM_SCRIPT);
        profile.mostArguments = 3999;
        profile.info.put("maxmemory_policy", "volatile-lru");
        return profile;
    }

    /** ElastiCache Serverless for Redis OSS 7.1 as three reports of 2024 have it: scripts may not ask for the time. */
    public static ServiceProfile serverlessOfRedis() {
        ServiceProfile profile = serverless("serverlessOfRedis");
        profile.refusedInScripts.put("TIME", NOT_FROM_SCRIPT);
        profile.info.put("redis_version", "7.1.0");
        return profile;
    }

    /** ElastiCache Serverless whose scripts fail while it scales, see {@link FaultProxy#scaleFor}. */
    public static ServiceProfile scaling() {
        return serverless("scaling");
    }

    /** A load balancer that forgets a subscription without traffic after that time, and tells neither side. */
    public static ServiceProfile silent(Duration idle) {
        ServiceProfile profile = new ServiceProfile("silent");
        profile.forgetsSubscriptions = idle;
        return profile;
    }

    /** In scripts, {@code PUBSUB NUMSUB} finds no subscriber. */
    public static ServiceProfile noCounts() {
        ServiceProfile profile = new ServiceProfile("noCounts");
        profile.countsNothing = true;
        return profile;
    }

    /** Scripts may not ask for the time, as on ElastiCache Serverless with Redis OSS 7.1. */
    public static ServiceProfile noTime() {
        ServiceProfile profile = new ServiceProfile("noTime");
        profile.refusedInScripts.put("TIME", NOT_FROM_SCRIPT);
        return profile;
    }

    /** Scripts may ask for the time in no way. */
    public static ServiceProfile noTimeAtAll() {
        ServiceProfile profile = noTime();
        profile.refusedInScripts.put("PEXPIRETIME", NOT_FROM_SCRIPT);
        return profile;
    }

    /** No information about the server, its clients and its replicas. */
    public static ServiceProfile nothing() {
        ServiceProfile profile = new ServiceProfile("nothing");
        profile.refuse(UNKNOWN, "CLIENT", "CONFIG", "INFO", "WAIT");
        return profile;
    }

    /** Keys of several slots are refused, as by each proxy of shards. */
    public static ServiceProfile crossslot() {
        ServiceProfile profile = new ServiceProfile("crossslot");
        profile.scriptCrossSlot = CROSS_SLOT;
        profile.commandCrossSlot = CROSS_SLOT;
        return profile;
    }

    /** Huawei DCS, a proxy cluster with several databases. The text for {@code PUBLISH} in scripts is not published. */
    public static ServiceProfile huawei() {
        ServiceProfile profile = new ServiceProfile("huawei");
        profile.refusedInScripts.put("PUBLISH", NOT_FROM_SCRIPT);
        profile.withoutKey = "ERR eval/evalsha numkeys must be bigger than zero in redis cluster mode";
        profile.scriptCrossSlot = CROSS_SLOT;
        return profile;
    }

    /** Connections without traffic are closed after that time. */
    public static ServiceProfile idleDrop(Duration idle) {
        ServiceProfile profile = new ServiceProfile("idleDrop");
        profile.closesIdle = idle;
        return profile;
    }

    private void refuse(String error, String... commands) {
        for (String command : commands) {
            refused.put(command, error);
        }
    }

    /** Whether applications configure it as a cluster; the proxy is its only node. */
    public boolean isCluster() {
        return isCluster;
    }

    /** Whether it answers CLUSTER. */
    boolean answersCluster() {
        return answersCluster;
    }

    /** Commands, of which some consist of two words, and their errors; a {@code %s} in them is the command. */
    Map<String, String> refused() {
        return refused;
    }

    /** Commands in upper case and their errors. */
    Map<String, String> refusedInScripts() {
        return refusedInScripts;
    }

    /** Fields of INFO that have other values than those of the server. */
    Map<String, String> info() {
        return info;
    }

    OtherSlot otherSlot() {
        return otherSlot;
    }

    boolean countsNothing() {
        return countsNothing;
    }

    boolean checksTexts() {
        return checksTexts;
    }

    /** Whether DEL, EXISTS, MGET, MSET, TOUCH and UNLINK may have keys of several slots. */
    boolean splitsCommands() {
        return splitsCommands;
    }

    boolean ignoresConfigSet() {
        return ignoresConfigSet;
    }

    int mostArguments() {
        return mostArguments;
    }

    /** The error of a script without a key; null if it works. */
    @Nullable
    String withoutKey() {
        return withoutKey;
    }

    /** The error of a script with keys of several slots; null if it works. */
    @Nullable
    String scriptCrossSlot() {
        return scriptCrossSlot;
    }

    /** The error of another command with keys of several slots, with {@code %s} for its name; null if it works. */
    @Nullable
    String commandCrossSlot() {
        return commandCrossSlot;
    }

    @Nullable
    Duration forgetsSubscriptions() {
        return forgetsSubscriptions;
    }

    @Nullable
    Duration closesIdle() {
        return closesIdle;
    }

    @Override
    public String toString() {
        return name;
    }
}
