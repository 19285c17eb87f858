package io.github.lockstarter.history;

import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** What a nemesis does to a fleet. None of it loses data of Redis or moves its clock. */
enum Trouble {
    PROCESS_KILLED(0, 300) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.kill();
            fleet.log().now(EventKind.KILLED, victim.name(), 0, 0, 0, "");
        }

        @Override
        void end(Fleet fleet, Member victim) {
            victim.start();
        }
    },
    PROCESS_STOPPED_FOR_A_MOMENT(30, 60) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.pause();
        }

        @Override
        void end(Fleet fleet, Member victim) {
            victim.resume();
        }
    },
    PROCESS_STOPPED_FOR_LONG(130, 200) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.pause();
        }

        @Override
        void end(Fleet fleet, Member victim) {
            victim.resume();
        }
    },
    REDIS_STOPPED_FOR_A_MOMENT(30, 60) {
        @Override
        void begin(Fleet fleet, Member victim) {
            fleet.redis().pause();
        }

        @Override
        void end(Fleet fleet, Member victim) {
            fleet.redis().resume();
        }
    },
    REDIS_STOPPED_FOR_LONG(120, 170) {
        @Override
        void begin(Fleet fleet, Member victim) {
            fleet.redis().pause();
        }

        @Override
        void end(Fleet fleet, Member victim) {
            fleet.redis().resume();
        }
    },
    SCRIPTS_FORGOTTEN(0, 10) {
        @Override
        void begin(Fleet fleet, Member victim) {
            command(fleet, "SCRIPT", "FLUSH");
        }
    },
    CLIENTS_KILLED(0, 30) {
        @Override
        void begin(Fleet fleet, Member victim) {
            command(fleet, "CLIENT", "KILL", "TYPE", "normal");
        }
    },
    SUBSCRIBERS_KILLED(0, 30) {
        @Override
        void begin(Fleet fleet, Member victim) {
            command(fleet, "CLIENT", "KILL", "TYPE", "pubsub");
        }
    },
    LONG_WAY(60, 150) {
        @Override
        void begin(Fleet fleet, Member victim) {
            // what counts from the reply counts too long
            victim.network()
                    .delay(Duration.ZERO, fleet.pace().command().multipliedBy(4).dividedBy(5));
        }
    },
    TOO_LONG_WAY(60, 150) {
        @Override
        void begin(Fleet fleet, Member victim) {
            // together longer than a command may take: all of them are executed, and none seems to be
            Duration each = fleet.pace().command().multipliedBy(2).dividedBy(3);
            victim.network().delay(each, each);
        }
    },
    BLACK_HOLE(40, 160) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().blackHole();
        }
    },
    REQUESTS_LOST(40, 160) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().swallowRequests();
        }
    },
    REPLIES_LOST(40, 160) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().swallowReplies();
        }
    },
    REQUESTS_STALLED(40, 160) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().stallRequests();
        }
    },
    CONNECTIONS_RESET(0, 30) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().cutRst();
        }
    },
    CONNECTIONS_CLOSED(0, 30) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().cutFin();
        }
    },
    REPLY_LOST_BY_RESET(30, 50) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().swallowReplyOf(SCRIPT_CALL, victim.network()::cutRst);
        }
    },
    REPLY_LOST_BY_CLOSE(30, 50) {
        @Override
        void begin(Fleet fleet, Member victim) {
            victim.network().swallowReplyOf(SCRIPT_CALL, victim.network()::cutFin);
        }
    },
    COMMANDS_REPEATED(30, 60) {
        @Override
        void begin(Fleet fleet, Member victim) {
            repeatLast(fleet, victim.network());
        }

        @Override
        void end(Fleet fleet, Member victim) {
            repeatLast(fleet, victim.network());
        }
    };

    static final Predicate<List<String>> SCRIPT_CALL = Commands.named("evalsha", "eval");

    private final int shortest;

    private final int longest;

    /** Takes that long, in hundredths of a lease. */
    Trouble(int shortest, int longest) {
        this.shortest = shortest;
        this.longest = longest;
    }

    Duration lasts(Duration lease, double chance) {
        return lease.multipliedBy(this.shortest + Math.round(chance * (this.longest - this.shortest)))
                .dividedBy(100);
    }

    /** Whether everybody has it, not the victim alone. */
    boolean isForAll() {
        return name().startsWith("REDIS") || name().startsWith("CLIENTS") || name().startsWith("SUBSCRIBERS");
    }

    abstract void begin(Fleet fleet, Member victim);

    void end(Fleet fleet, Member victim) {
        victim.network().heal();
    }

    private static void command(Fleet fleet, String... command) {
        try (RedisCli redis = fleet.redis().cli()) {
            redis.command(command);
        }
    }

    /** Executes the last call of a script again, as a client that repeats commands would. */
    private static void repeatLast(Fleet fleet, FaultProxy network) {
        AtomicReference<List<String>> last = new AtomicReference<>();
        network.commandsSeen(command -> {
            if (SCRIPT_CALL.test(command)) {
                last.set(command);
            }
            return false;
        });
        if (last.get() == null) {
            return;
        }
        String key = last.get().get(3);
        String lock = key.substring(key.indexOf('{') + 1, key.length() - 1);
        Limits limits = fleet.pace().limits(Duration.ZERO);
        // by now it may be an acquire for nobody
        long now = System.nanoTime();
        long until = now + limits.lease() + limits.tail();
        fleet.log().at(now, EventKind.ORPHANED, lock, 0, 0, until, "repeated command");
        command(fleet, last.get().toArray(new String[0]));
    }
}
