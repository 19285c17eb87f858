package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Workers in processes of their own, the server with their locks, the server with what the locks guard, and a history. */
final class Fleet implements AutoCloseable {

    private static final int LOCKS = 3;

    private static final List<Client.Style> STYLES =
            List.of(Client.Style.USUAL, Client.Style.BACKGROUND, Client.Style.SHARED);

    private static final int THREADS = 3;

    private final RedisServer redis = RedisServer.start();

    private final RedisServer resource = RedisServer.start();

    private final List<Member> members = new ArrayList<>();

    private final Path directory;

    private final HistoryLog log;

    private final CommandLog commands;

    private final Pace pace;

    Fleet(Path directory, Pace pace, int size, long seed) {
        this.directory = directory;
        this.pace = pace;
        this.log = HistoryLog.to(directory.resolve("nemesis.log"), "nemesis");
        this.commands = CommandLog.of(this.redis, this.log);
        for (int i = 1; i <= size; i++) {
            FaultProxy network = FaultProxy.inFrontOf(this.redis.port());
            Client.Style style = STYLES.get(i % STYLES.size());
            long own = seed * 1_000 + i * 100L;
            this.members.add(new Member(
                    "worker-" + i, network, directory, (name, file) -> launch(network, name, file, own, style)));
        }
    }

    private WorkerJvm launch(FaultProxy network, String name, Path file, long seed, Client.Style style) {
        return WorkerJvm.start(
                HistoryWorker.class,
                Integer.toString(network.port()),
                Integer.toString(this.resource.port()),
                name,
                file.toString(),
                Long.toString(seed),
                Integer.toString(THREADS),
                Integer.toString(LOCKS),
                Long.toString(this.pace.lease().toMillis()),
                Long.toString(this.pace.command().toMillis()),
                Long.toString(this.pace.poll().toMillis()),
                style.name());
    }

    void awaitReady() throws InterruptedException {
        for (Member member : this.members) {
            member.awaitReady();
        }
    }

    /** Lets all finish, and returns what they and the nemesis have written. */
    History finish() throws InterruptedException {
        for (Member member : this.members) {
            member.finish();
        }
        this.commands.close();
        List<Path> files = new ArrayList<>(List.of(this.directory.resolve("nemesis.log")));
        this.members.forEach(member -> files.addAll(member.files()));
        return History.read(files);
    }

    /** Keys that are still there when all leases must have run out. */
    List<?> leftovers() {
        try (RedisCli cli = this.redis.cli()) {
            long end = System.nanoTime() + this.pace.lease().multipliedBy(3).toNanos();
            List<?> keys = cli.keys();
            while (!keys.isEmpty() && System.nanoTime() - end < 0) {
                Pause.of(Duration.ofMillis(50));
                keys = cli.keys();
            }
            return keys;
        }
    }

    List<Member> members() {
        return this.members;
    }

    RedisServer redis() {
        return this.redis;
    }

    HistoryLog log() {
        return this.log;
    }

    Pace pace() {
        return this.pace;
    }

    @Override
    public void close() {
        this.members.forEach(Member::close);
        this.commands.close();
        this.log.close();
        this.redis.close();
        this.resource.close();
    }
}
