package io.github.lockstarter.benchmarks.rows;

import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.worker.Worker;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Worker JVMs of one contender, and their orders and answers. */
final class Fleet implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final List<WorkerJvm> workers = new ArrayList<>();

    private final List<Integer> orders = new ArrayList<>();

    Fleet(Contender contender, int port, int size, List<String> jvmOptions, String heap) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.add("-Xmx" + heap);
        for (int i = 0; i < size; i++) {
            this.workers.add(WorkerJvm.start(options, Worker.class, contender.name(), Integer.toString(port)));
            this.orders.add(0);
        }
    }

    int size() {
        return this.workers.size();
    }

    /** Gives an order without waiting; returns its number. */
    int send(int worker, String order) {
        int number = this.orders.get(worker);
        this.orders.set(worker, number + 1);
        this.workers.get(worker).send(order);
        return number;
    }

    String await(int worker, int number) throws InterruptedException {
        String start = Worker.ANSWER + number + ":";
        String answer = this.workers
                .get(worker)
                .awaitLine(line -> line.startsWith(start), LIMIT)
                .substring(start.length());
        if (Worker.isFailure(answer)) {
            throw new IllegalStateException("Worker " + worker + " " + answer + "; its output: "
                    + this.workers.get(worker).lines());
        }
        return answer;
    }

    String ask(int worker, String order) throws InterruptedException {
        return await(worker, send(worker, order));
    }

    void askAll(String order) throws InterruptedException {
        List<Integer> numbers = new ArrayList<>();
        for (int worker = 0; worker < size(); worker++) {
            numbers.add(send(worker, order));
        }
        for (int worker = 0; worker < size(); worker++) {
            await(worker, numbers.get(worker));
        }
    }

    void kill(int worker) {
        this.workers.get(worker).kill();
    }

    @Override
    public void close() {
        this.workers.forEach(WorkerJvm::close);
    }
}
