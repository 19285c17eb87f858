package io.github.lockstarter.text;

import java.time.Duration;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Writes times as they are written in a configuration. */
public final class DurationText {

    private DurationText() {}

    /** Returns the time in units, such as {@code 1s500ms}; zero is {@code 0}. */
    public static String of(Duration time) {
        return time.isZero() ? "0" : DurationFormatterUtils.print(time, DurationFormat.Style.COMPOSITE);
    }
}
