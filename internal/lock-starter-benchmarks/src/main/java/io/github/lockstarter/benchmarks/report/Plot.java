package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Throughput and hand-over beside the peers, as a picture (SVG). The longest bar of each row has the same length. */
public final class Plot {

    /** Rows, and what the picture calls them. */
    private static final Map<Row, String> LABELS = Map.of(
            Row.ONE_JVM, "1 JVM, 16 threads, empty body",
            Row.FOUR_JVMS, "4 JVMs × 4 threads, empty body",
            Row.FOUR_JVMS_WORKING, "… with 1 ms of work",
            Row.HAND_OVER, "… empty body, after 30 s",
            Row.HAND_OVER_WORKING, "… with 1 ms of work, after 30 s");

    private static final List<Row> RATES = List.of(Row.ONE_JVM, Row.FOUR_JVMS, Row.FOUR_JVMS_WORKING);

    private static final List<Row> HAND_OVERS =
            List.of(Row.FOUR_JVMS, Row.FOUR_JVMS_WORKING, Row.HAND_OVER, Row.HAND_OVER_WORKING);

    private static final List<Contender> SHOWN =
            List.of(Contender.LOCK_STARTER, Contender.REDISSON, Contender.SPRING_PUB_SUB);

    private static final List<String> COLORS = List.of("#0b7285", "#c92a2a", "#868e96");

    private static final int WIDTH = 760;

    private static final int BAR_LEFT = 250;

    private static final int MAX_BAR = 360;

    private static final int BAR = 14;

    private final Results results;

    private final StringBuilder body = new StringBuilder();

    private int y = 8;

    private Plot(Results results) {
        this.results = results;
    }

    /** Returns whether all rows of the picture were measured. */
    public static boolean isComplete(Results results) {
        return LABELS.keySet().stream()
                .allMatch(row -> List.of(Contender.LOCK_STARTER, Contender.REDISSON).stream()
                        .allMatch(contender -> results.row(row).contenders().contains(contender)));
    }

    /** Draws the picture. */
    public static String of(Results results) {
        return new Plot(results).draw();
    }

    private String draw() {
        legend();
        panel("Acquisitions a second of one lock, relative within each group (longer is better)", RATES, Metric.RATE);
        panel(
                "Hand-over from one JVM to another, median, relative within each group (shorter is better)",
                HAND_OVERS,
                Metric.HAND_OVER);
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img"
                     aria-label="Throughput and hand-over of lock-starter, Redisson and Spring Integration"
                     font-family="system-ui, sans-serif" font-size="12" fill="#343a40">
                <rect width="100%%" height="100%%" fill="#ffffff"/>
                %s</svg>
                """, WIDTH, this.y, WIDTH, this.y, this.body);
    }

    private void legend() {
        for (int i = 0; i < SHOWN.size(); i++) {
            int x = BAR_LEFT + 130 * i;
            rectangle(x, this.y, 12, i);
            text(x + 18, this.y + 11, "start", "normal", SHOWN.get(i).label());
        }
        this.y += 20;
    }

    private void panel(String title, List<Row> rows, Metric metric) {
        this.y += 16;
        text(12, this.y, "start", "bold", title);
        this.y += 10;
        for (Row row : rows) {
            RowResult result = this.results.row(row);
            double most = SHOWN.stream()
                    .mapToDouble(contender -> result.median(contender, metric).orElse(0))
                    .max()
                    .orElse(1);
            text(BAR_LEFT - 10, this.y + BAR, "end", "normal", Objects.requireNonNull(LABELS.get(row)));
            for (int i = 0; i < SHOWN.size(); i++) {
                double value = result.median(SHOWN.get(i), metric).orElse(0);
                if (value > 0) {
                    int length = (int) Math.max(1, Math.round(MAX_BAR * value / most));
                    rectangle(BAR_LEFT, this.y, length, i);
                    text(BAR_LEFT + length + 6, this.y + 11, "start", "normal", metric.format(value));
                    this.y += BAR + 2;
                }
            }
            this.y += 10;
        }
    }

    private void rectangle(int x, int top, int width, int contender) {
        this.body.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n",
                x,
                top,
                width,
                BAR - 1,
                COLORS.get(contender)));
    }

    private void text(int x, int baseline, String anchor, String weight, String content) {
        this.body.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-weight=\"%s\">%s</text>%n",
                x,
                baseline,
                anchor,
                weight,
                content));
    }
}
