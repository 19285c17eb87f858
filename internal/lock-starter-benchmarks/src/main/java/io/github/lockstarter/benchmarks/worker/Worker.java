package io.github.lockstarter.benchmarks.worker;

import io.github.lockstarter.benchmarks.client.Contender;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One of the JVMs of a measurement: executes orders, one after the other, and reports when each is done. It ends with
 * its parent, whatever it is doing.
 */
public final class Worker {

    /** What an answer looks like: this, the number of the order, a colon, the answer. */
    public static final String ANSWER = "#";

    /** The lock that one worker holds until it is killed, and another waits for. */
    public static final String ORPHAN = "orphan";

    private static final String FAILED = "failed: ";

    private Worker() {}

    public static boolean isFailure(String answer) {
        return answer.startsWith(FAILED);
    }

    public static void main(String[] arguments) throws IOException {
        Orders orders = new Orders(Contender.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
        ExecutorService executor = Executors.newSingleThreadExecutor();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int number = 0;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String order = line;
            int id = number++;
            executor.execute(() -> System.out.println(ANSWER + id + ":" + answer(orders, order)));
        }
        // not exit: a lock may be held, and no reader is left
        Runtime.getRuntime().halt(0);
    }

    private static String answer(Orders orders, String order) {
        try {
            return orders.execute(order);
        } catch (Exception | Error ex) {
            ex.printStackTrace();
            return FAILED + ex;
        }
    }
}
