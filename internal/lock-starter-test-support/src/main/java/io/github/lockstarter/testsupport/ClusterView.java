package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** What a node knows of its cluster, from {@code CLUSTER NODES}. */
final class ClusterView {

    private static final Duration ANSWER = Duration.ofSeconds(1);

    /** A line: id, address, flags, master, ping, pong, epoch, link, slots. */
    private record Node(String id, int port, Set<String> flags, String master, boolean linked, List<int[]> slots) {

        static Node of(String line) {
            String[] parts = line.split(" ", -1);
            String address = parts[1].substring(0, parts[1].indexOf('@'));
            List<int[]> slots = new ArrayList<>();
            for (int i = 8; i < parts.length; i++) {
                // in brackets: slots that are being moved
                if (parts[i].charAt(0) != '[') {
                    String[] ends = parts[i].split("-", -1);
                    slots.add(new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])});
                }
            }
            return new Node(
                    parts[0],
                    Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
                    Set.of(parts[2].split(",")),
                    parts[3],
                    parts[7].equals("connected"),
                    slots);
        }

        boolean isWell() {
            return linked && flags.stream().noneMatch(flag -> flag.startsWith("fail") || flag.equals("handshake"));
        }

        boolean serves(int slot) {
            return slots.stream().anyMatch(range -> range[0] <= slot && slot <= range[1]);
        }

        int count() {
            return slots.stream().mapToInt(range -> range[1] - range[0] + 1).sum();
        }
    }

    private final List<Node> nodes;

    private ClusterView(List<Node> nodes) {
        this.nodes = nodes;
    }

    static ClusterView of(RedisServer server) {
        try (RedisCli cli = server.cli(ANSWER)) {
            String text = (String) Objects.requireNonNull(cli.command("CLUSTER", "NODES"));
            return new ClusterView(text.lines().map(Node::of).toList());
        }
    }

    /** Whether it is connected with all of these and with no others. */
    boolean knows(List<RedisServer> servers) {
        Set<Integer> wanted = servers.stream().map(RedisServer::port).collect(Collectors.toSet());
        return nodes.size() == servers.size()
                && nodes.stream().allMatch(Node::isWell)
                && nodes.stream().map(Node::port).collect(Collectors.toSet()).equals(wanted);
    }

    boolean covers(int slots) {
        return nodes.stream().mapToInt(Node::count).sum() == slots;
    }

    long replicas() {
        return nodes.stream().filter(node -> node.flags().contains("slave")).count();
    }

    List<Integer> masterPorts() {
        return nodes.stream().filter(node -> node.count() > 0).map(Node::port).toList();
    }

    /** 0: no node serves it. */
    int masterPortOf(int slot) {
        return nodes.stream()
                .filter(node -> node.serves(slot))
                .map(Node::port)
                .findFirst()
                .orElse(0);
    }

    /** 0: its master has none. */
    int replicaPortOf(int slot) {
        return nodes.stream()
                .filter(node -> node.serves(slot))
                .flatMap(master -> nodes.stream().filter(node -> node.master().equals(master.id())))
                .map(Node::port)
                .findFirst()
                .orElse(0);
    }
}
