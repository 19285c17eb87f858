package io.github.lockstarter.sample.demo;

import io.github.lockstarter.sample.TicketOffice.Overview;
import io.github.lockstarter.sample.TicketOffice.Ticket;
import io.github.lockstarter.sample.demo.DemoInstance.Answer;
import io.github.lockstarter.sample.demo.DemoInstance.News;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/**
 * Sells 50 seats on two instances, for which 200 buyers come, kills one instance during a sale, pauses the other one
 * for longer than its lease during another sale, and compares the stored tickets with the answers. The instances, Redis
 * and the database run in processes of their own, so that this process observes them from outside.
 */
public final class Demonstration {

    /** Command-line option that starts this instead of an instance. All other options are passed to the instances. */
    public static final String OPTION = "--demo";

    static final String LOCK = "event:show";

    /** A repeated option would have both values. */
    private static final List<String> OWN_OPTIONS = List.of(
            "--server.port", "--sample.backing.", "--distributed-lock.watchdog.timeout", "--tickets.payment-time");

    private static final String SHOW = "/api/events/show";

    static final int SEATS = 50;

    private static final int BUYERS = 200;

    /** Buyers before the first fault. They leave some seats. */
    private static final int EARLY_BUYERS = 30;

    /** Buyers who wait at one instance while the other one, which holds the lock, is dead or paused. */
    private static final int WAITING_BUYERS = 4;

    /** A test on a machine that is busy with others makes this and the limit longer. */
    private static final int LEASE_SECONDS = Integer.getInteger("demo.lease-seconds", 3);

    /** A sale that takes longer than a lease, so that the watchdog must renew the lease. */
    private static final String SLOW_SALE = SHOW + "/slow-tickets?seconds=" + 2 * LEASE_SECONDS;

    /** Of all buyers: one is killed with the instance, one is late, and the others find a seat or none. */
    private static final Map<Integer, Integer> EXPECTED_STATUSES =
            Map.of(201, SEATS, 409, BUYERS - SEATS - 2, DemoInstance.NO_ANSWER, 1, 503, 1);

    /** Time for all waits. The end of the processes takes some seconds more. */
    private static final Duration LIMIT = Duration.ofSeconds(Integer.getInteger("demo.limit-seconds", 52));

    private final Report report = new Report(LIMIT);

    private final Path directory;

    private final List<String> options;

    private final int[] ports;

    /** Tickets as their buyers have received them. */
    private final ConcurrentLinkedQueue<Ticket> received = new ConcurrentLinkedQueue<>();

    /** The number of answers to buyers for each status. */
    private final Map<Integer, Integer> statuses = new ConcurrentHashMap<>();

    /** Whether lock events are not printed, because many buyers come at the same time. */
    private volatile boolean isQuiet;

    private Demonstration(Path directory, List<String> options) throws IOException {
        this.directory = directory;
        this.options = options;
        this.ports = freePorts(5);
    }

    /**
     * Runs the demonstration.
     *
     * @return exit code: 0 if the tickets are right and the late write was refused, otherwise 1
     */
    public static int run(String... arguments) throws IOException, InterruptedException {
        List<String> options =
                Stream.of(arguments).filter(each -> !each.equals(OPTION)).toList();
        for (String option : options) {
            if (OWN_OPTIONS.stream().anyMatch(option::startsWith)) {
                System.out.println("The demonstration sets " + option + " itself. Remove it.");
                return 1;
            }
        }
        Path directory = Files.createTempDirectory("lock-starter-demo-");
        Demonstration demonstration = new Demonstration(directory, options);
        // Also after Ctrl-C
        Thread cleanUp = new Thread(() -> FileSystemUtils.deleteRecursively(directory.toFile()));
        Runtime.getRuntime().addShutdownHook(cleanUp);
        List<String> violations;
        try {
            violations = demonstration.play();
            demonstration.awaitEndOfServices();
        } catch (RuntimeException ex) {
            violations = List.of(ex.toString());
        }
        if (violations.isEmpty()) {
            return 0;
        }
        Runtime.getRuntime().removeShutdownHook(cleanUp);
        violations.forEach(violation -> System.out.println("FAILED: " + violation));
        System.out.println("The logs of all processes are in " + directory);
        return 1;
    }

    /** Runs all phases and returns the violations. */
    private List<String> play() throws IOException, InterruptedException {
        report.line("Two instances start, with a Redis and a database of their own. They sell under the lock " + LOCK
                + ", whose lease of " + LEASE_SECONDS + " s is renewed each third of it.");
        try (DemoInstance first = start("first", ports[0]);
                DemoInstance second = start("second", ports[1])) {
            report.await(first.started(), "the first instance");
            report.await(second.started(), "the second instance");
            require(first.post(SHOW + "?seats=" + SEATS), 201, "the show");

            report.chapter("1. %d buyers come to both instances at the same time.".formatted(EARLY_BUYERS));
            sellToCrowd(EARLY_BUYERS, first, second);

            report.chapter("2. The second instance is killed in the middle of a sale, and started again.");
            List<CompletableFuture<Answer>> waiting = killDuringSale(second, first);
            try (DemoInstance restarted = start("second", ports[1])) {
                await(waiting, "the end of the lease of the killed instance");
                report.await(restarted.started(), "the second instance");

                report.chapter("3. The first instance is paused in the middle of a sale, for longer than its lease.");
                boolean isRefused = pauseDuringSale(first, restarted);

                int others = BUYERS - EARLY_BUYERS - 2 * (1 + WAITING_BUYERS);
                report.chapter("4. The other %d buyers come to both instances at the same time.".formatted(others));
                sellToCrowd(others, first, restarted);

                isQuiet = true;
                Overview show = require(first.get(SHOW), 200, "the tickets").as(Overview.class);
                List<String> violations = violations(show, List.copyOf(received), statuses, isRefused);
                if (violations.isEmpty()) {
                    report.chapter(
                            ("Passed: %d of %d seats are sold, each once and with a larger token than the one before."
                                            + " The late write was refused.")
                                    .formatted(show.sold(), SEATS));
                }
                return violations;
            }
        }
    }

    private void sellToCrowd(int buyers, DemoInstance... instances) throws InterruptedException {
        isQuiet = true;
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int buyer = 0; buyer < buyers; buyer++) {
            answers.add(buy(instances[buyer % instances.length], SHOW + "/tickets"));
        }
        await(answers, "the answers to the buyers");
        isQuiet = false;
        answers.stream()
                .collect(Collectors.groupingBy(answer -> answer.join().status(), TreeMap::new, Collectors.counting()))
                .forEach((status, number) -> report.line("%d buyers: %s".formatted(number, meaning(status))));
    }

    private static String meaning(int status) {
        return switch (status) {
            case 201 -> "got a ticket";
            case 409 -> "sold out";
            case DemoInstance.NO_ANSWER -> "no answer";
            default -> "status " + status;
        };
    }

    /** Returns the answers to the buyers who wait for its lock. */
    private List<CompletableFuture<Answer>> killDuringSale(DemoInstance owner, DemoInstance other)
            throws InterruptedException {
        CompletableFuture<Answer> sale = sellSlowly(owner);
        List<CompletableFuture<Answer>> waiting = awaitBehind(owner, other);
        owner.kill();
        report.line("killed     the %s instance; Redis keeps its lock until the end of the lease".formatted(owner));
        Answer answer = report.await(sale, "the end of the connection");
        require(answer.status() == DemoInstance.NO_ANSWER, "the sale had ended before the instance was killed");
        return waiting;
    }

    /** Returns whether the database has refused the late write. */
    private boolean pauseDuringSale(DemoInstance owner, DemoInstance other) throws InterruptedException {
        CompletableFuture<Answer> sale = sellSlowly(owner);
        CompletableFuture<Boolean> refused =
                owner.next("write-refused", lastToken()).thenApply(news -> true);
        List<CompletableFuture<Answer>> waiting = awaitBehind(owner, other);
        owner.pause();
        report.line("paused     the %s instance, which can renew nothing".formatted(owner));
        await(waiting, "the end of the lease of the paused instance");
        require(!sale.isDone(), "the sale had ended before the instance was paused");
        report.line("resumed    the %s instance, which goes on with its sale".formatted(owner));
        owner.resume();
        Answer answer = report.await(sale, "the late write");
        report.line("           answer to its buyer: %d, %s".formatted(answer.status(), answer.detail()));
        boolean isReported = report.await(refused.completeOnTimeout(false, 3, TimeUnit.SECONDS), "the refusal");
        return answer.status() == 503 && isReported;
    }

    /** Starts a sale, and returns as soon as its lease has been renewed. */
    private CompletableFuture<Answer> sellSlowly(DemoInstance owner) throws InterruptedException {
        CompletableFuture<News> renewed = owner.next("renewed", lastToken());
        CompletableFuture<Answer> sale = buy(owner, SLOW_SALE);
        report.await(CompletableFuture.anyOf(renewed, sale), "the first renewal of the lease");
        require(!sale.isDone(), "the sale had ended before its lease was renewed");
        return sale;
    }

    /** Returns the token of the last ticket. */
    private long lastToken() {
        return received.stream().mapToLong(Ticket::token).max().orElse(0);
    }

    private Answer require(CompletableFuture<Answer> answer, int status, String what) throws InterruptedException {
        Answer present = report.await(answer, what);
        require(present.status() == status, what + " was answered with " + present);
        return present;
    }

    private List<CompletableFuture<Answer>> awaitBehind(DemoInstance owner, DemoInstance other) {
        report.line("           %d buyers wait at the %s instance for the lock of the %s."
                .formatted(WAITING_BUYERS, other, owner));
        return Stream.generate(() -> buy(other, SHOW + "/tickets"))
                .limit(WAITING_BUYERS)
                .toList();
    }

    private void await(List<CompletableFuture<Answer>> answers, String awaited) throws InterruptedException {
        for (CompletableFuture<Answer> answer : answers) {
            report.await(answer, awaited);
        }
    }

    private CompletableFuture<Answer> buy(DemoInstance instance, String path) {
        return instance.post(path).thenApply(answer -> {
            statuses.merge(answer.status(), 1, Integer::sum);
            if (answer.status() == 201) {
                Ticket ticket = answer.as(Ticket.class);
                received.add(ticket);
                report.line("sold       ticket %2d by the %s instance, token %d"
                        .formatted(ticket.number(), instance, ticket.token()));
            }
            return answer;
        });
    }

    private void happened(DemoInstance instance, News news) {
        if (isQuiet) {
            return;
        }
        String what = "of the %s instance, token %d".formatted(instance, news.token());
        switch (news.type()) {
            case "acquired" -> report.line("granted    lease " + what);
            case "renewed" -> report.line("renewed    lease " + what);
            case "lost" -> report.line("lost       lease " + what + ": " + news.detail());
            case "write-refused" ->
                report.line("refused    late write " + what + ": the database has seen a larger one");
            default -> {}
        }
    }

    /** Compares the stored tickets with the answers to the buyers. */
    static List<String> violations(
            Overview show, Collection<Ticket> received, Map<Integer, Integer> statuses, boolean isLateWriteRefused) {
        List<Ticket> stored = show.tickets();
        List<String> violations = new ArrayList<>();
        if (show.sold() != SEATS || stored.size() != SEATS) {
            violations.add(
                    "%d seats are sold and %d tickets stored, not %d".formatted(show.sold(), stored.size(), SEATS));
        }
        for (int i = 0; i < stored.size(); i++) {
            Ticket ticket = stored.get(i);
            if (ticket.number() != i + 1) {
                violations.add("ticket %d is stored in place of %d".formatted(ticket.number(), i + 1));
            }
            if (i > 0 && ticket.token() <= stored.get(i - 1).token()) {
                violations.add("the token of ticket %d is not larger than the one before".formatted(ticket.number()));
            }
        }
        if (received.size() != stored.size() || !Set.copyOf(received).equals(Set.copyOf(stored))) {
            violations.add("buyers have %d tickets, which are not those that are stored".formatted(received.size()));
        }
        if (!statuses.equals(EXPECTED_STATUSES)) {
            violations.add("the answers have the statuses %s, not %s".formatted(statuses, EXPECTED_STATUSES));
        }
        if (!isLateWriteRefused) {
            violations.add("the database has not refused the late write");
        }
        return violations;
    }

    private DemoInstance start(String name, int port) throws IOException {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(
                "--sample.backing.port=" + ports[2],
                "--sample.backing.redis-port=" + ports[3],
                "--sample.backing.database-port=" + ports[4],
                "--sample.backing.directory=" + directory,
                "--sample.backing.idle-timeout=3s",
                "--distributed-lock.watchdog.timeout=" + LEASE_SECONDS + "s",
                "--tickets.payment-time=50ms"));
        return DemoInstance.start(name, port, all, directory, this::happened);
    }

    private static int[] freePorts(int number) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < number; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().mapToInt(ServerSocket::getLocalPort).toArray();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Waits until Redis has ended, with its process, some seconds after the last instance. */
    private void awaitEndOfServices() {
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
            try {
                while (true) {
                    new Socket(InetAddress.getLoopbackAddress(), ports[3]).close();
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            } catch (IOException | InterruptedException ex) {
                // it accepts no connections
            }
        });
        report.line("           ... waiting for the end of Redis and the database");
        ended.completeOnTimeout(null, 6, TimeUnit.SECONDS).join();
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalStateException(message);
        }
    }
}
