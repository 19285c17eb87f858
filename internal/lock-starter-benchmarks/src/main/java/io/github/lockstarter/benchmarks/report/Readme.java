package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the README in both languages: a table at a distance, then one on loopback, and a sentence for each
 * figure that is worse than Redisson's. They stand between two marks, and replace what stands there.
 */
public final class Readme {

    /** Who must be measured. */
    public static final Set<Contender> CONTENDERS =
            Set.of(Contender.FLOOR, Contender.LOCK_STARTER, Contender.REDISSON, Contender.SPRING_PUB_SUB);

    /**
     * What must be measured for the tables and the picture, and the state of renewed locks that the tables leave out.
     */
    public static final Set<Row> ROWS = Set.of(
            Row.ALONE,
            Row.ALONE_WARM,
            Row.ONE_JVM,
            Row.FOUR_JVMS,
            Row.FOUR_JVMS_WORKING,
            Row.HAND_OVER,
            Row.HAND_OVER_WORKING,
            Row.RENEWED,
            Row.RENEWED_USED,
            Row.AT_500_MICROS,
            Row.IN_FLIGHT);

    private static final String BEGIN = "<!-- figures, written by internal/lock-starter-benchmarks/run --readme -->\n";

    private static final String END = "<!-- end of the figures -->\n";

    /** A text in both languages. */
    private record Text(String english, String chinese) {

        String in(boolean isChinese) {
            return isChinese ? this.chinese : this.english;
        }
    }

    private static final Text COLD = new Text(
            "Time from one JVM to the next: a JVM that takes part in few hand-overs a second interprets their code for long,"
                    + " while those of Redisson run it for each failed attempt.",
            "锁从一个 JVM 交到下一个 JVM 的时间：每秒只参与少量交接的 JVM，相关代码要很久才会被编译；Redisson 的 JVM 每次加锁失败都会执行相应的代码。");

    /**
     * A line of a table.
     *
     * @param isLessBetter whether the smaller figure is the better one
     * @param reason why this library is worse, which is written only if it is; null: unknown
     */
    private record Line(
            Row row,
            Metric metric,
            Text work,
            boolean isLessBetter,
            @Nullable Text reason) {}

    private static final List<Line> DISTANCE = List.of(
            far(Metric.FAR_LOCK, "lock", "加锁", null),
            far(Metric.FAR_UNLOCK, "unlock", "解锁", null),
            far(Metric.FAR_16, "16 locks of one call", "一次调用加 16 把锁", null),
            far(
                    Metric.FAR_HAND_OVER,
                    "from the unlock to the grant in another JVM that waits",
                    "一个 JVM 解锁后，另一个等待的 JVM 加锁成功",
                    null),
            far(
                    Metric.FAR_PERMIT,
                    "the same for a permit of a semaphore",
                    "同上，信号量的许可",
                    new Text(
                            "A permit that is passed on: its message is not taken as a proof, so the waiter asks Redis again.",
                            "信号量许可的交接：关于许可的消息不能当作证明，等待者要再问一次 Redis。")));

    private static final List<Line> LOOPBACK = List.of(
            new Line(
                    Row.ALONE,
                    Metric.RATE,
                    new Text("lock and unlock, 1 thread, after 15,000 pairs", "加锁并解锁，1 个线程，预热 15,000 次"),
                    false,
                    null),
            new Line(
                    Row.ALONE_WARM,
                    Metric.RATE,
                    new Text("the same after 80,000 pairs", "同上，预热 80,000 次"),
                    false,
                    null),
            new Line(
                    Row.FOUR_JVMS,
                    Metric.RATE,
                    new Text("one lock that 4 JVMs with 4 threads each want", "4 个 JVM 各 4 个线程争用同一把锁"),
                    false,
                    null),
            new Line(
                    Row.FOUR_JVMS_WORKING,
                    Metric.HAND_OVER,
                    new Text(
                            "median time from one JVM to the next, with 1 ms of work under the lock",
                            "锁内代码执行 1 ms，锁从一个 JVM 交到下一个 JVM 的时间，中位数"),
                    true,
                    COLD),
            new Line(
                    Row.HAND_OVER_WORKING, Metric.HAND_OVER, new Text("the same after 30 s", "同上，预热 30 秒"), true, COLD),
            new Line(
                    Row.RENEWED,
                    Metric.CLIENT_EACH,
                    new Text("one renewal of 100,000 locks, processor of the client", "持有 100,000 把锁，每次续期客户端的 CPU 时间"),
                    true,
                    new Text(
                            "Time of the client for a renewal: the watchdog enters the state of each lock twice, to send"
                                    + " the renewal and with the reply, so that the owner is notified of a loss; Redisson"
                                    + " reads a map of names.",
                            "续期时客户端的 CPU 时间：看门狗对每把锁的状态要处理两次（发送续期、收到响应），才能把丢锁通知持有者；Redisson 只读一张锁名表。")),
            new Line(
                    Row.IN_FLIGHT,
                    Metric.LAST_GRANT,
                    new Text(
                            "50,000 asynchronous acquisitions at once, until the last grant",
                            "同时发起 50,000 次异步加锁，直到最后一把加锁成功"),
                    true,
                    new Text(
                            "Acquisitions at once: an instance has at most 256 of them under way, so that a burst delays no"
                                    + " renewal.",
                            "大量同时加锁：每个实例最多同时发出 256 个加锁命令，突发请求不会耽误续期。")));

    private final Results results;

    private final boolean isChinese;

    private final StringBuilder text = new StringBuilder();

    private Readme(Results results, boolean isChinese) {
        this.results = results;
        this.isChinese = isChinese;
    }

    private static Line far(Metric metric, String english, String chinese, @Nullable Text reason) {
        return new Line(Row.AT_500_MICROS, metric, new Text(english, chinese), true, reason);
    }

    /**
     * Returns the page with these figures.
     *
     * @throws IllegalArgumentException if the page has no marks, or a figure is missing
     */
    public static String of(Results results, String page, boolean isChinese) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("No marks of the figures: " + BEGIN + END);
        }
        return page.substring(0, begin + BEGIN.length()) + new Readme(results, isChinese).write() + page.substring(end);
    }

    private String write() {
        double roundTrip = median(Row.AT_500_MICROS, Contender.LOCK_STARTER, Metric.ROUND_TRIP)
                .orElseThrow(() -> new IllegalArgumentException("The rows of the figures were not measured"));
        String run = "internal/lock-starter-benchmarks/RESULTS-readme.md";
        line(
                this.isChinese
                        ? "以下数据出自[同一次测试](" + run + ")（[图](docs/images/contention.svg)）：2 核。与 Redis 的单程延迟为"
                                + " 0.5 ms 时，每项操作的中位数，单位是网络往返的次数（一次 `PING` 为 " + millis(roundTrip) + "）："
                        : "The figures are those of [one run](" + run
                                + ") ([picture](docs/images/contention.svg)) on 2 cores."
                                + " With\n0.5 ms to Redis each way, as multiples of a round trip (a `PING` takes "
                                + millis(roundTrip) + "), medians:");
        table(DISTANCE);
        line("");
        line(
                this.isChinese
                        ? "本机 Redis（回环网络），网络往返几乎没有开销。请看比例，不要看绝对值："
                        : "With Redis on loopback, where a round trip costs hardly anything; ratios count, not the absolute values:");
        table(LOOPBACK);
        reasons();
        return this.text.toString();
    }

    private static String millis(double micros) {
        return String.format(Locale.ROOT, "%.2f ms", micros / 1_000);
    }

    private void table(List<Line> lines) {
        line("");
        line(this.isChinese ? "| 场景 | lock-starter | Redisson |" : "| Work | lock-starter | Redisson |");
        line("|---|---:|---:|");
        for (Line line : lines) {
            line("| " + line.work().in(this.isChinese) + " | " + figure(line, Contender.LOCK_STARTER) + " | "
                    + figure(line, Contender.REDISSON) + " |");
        }
    }

    private String figure(Line line, Contender contender) {
        OptionalDouble value = median(line.row(), contender, line.metric());
        String formatted = value.isPresent() ? line.metric().format(value.getAsDouble()) : "–";
        return this.isChinese ? formatted.replace(" cores", " 核") : formatted;
    }

    private OptionalDouble median(Row row, Contender contender, Metric metric) {
        return this.results.row(row).median(contender, metric);
    }

    /** Two lines may have the same reason. */
    private void reasons() {
        Set<String> reasons = new LinkedHashSet<>();
        for (List<Line> table : List.of(DISTANCE, LOOPBACK)) {
            for (Line line : table) {
                if (line.reason() != null && isWorse(line)) {
                    reasons.add(line.reason().in(this.isChinese));
                }
            }
        }
        if (!reasons.isEmpty()) {
            line("");
            line((this.isChinese ? "Redisson 更好之处的原因：" : "Where Redisson is better: ") + String.join("\n", reasons));
        }
    }

    private boolean isWorse(Line line) {
        OptionalDouble own = median(line.row(), Contender.LOCK_STARTER, line.metric());
        OptionalDouble other = median(line.row(), Contender.REDISSON, line.metric());
        if (own.isEmpty() || other.isEmpty()) {
            return false;
        }
        double ratio = own.getAsDouble() / other.getAsDouble();
        return line.isLessBetter() ? ratio > 1 : ratio < 1;
    }

    private void line(String line) {
        this.text.append(line).append('\n');
    }
}
