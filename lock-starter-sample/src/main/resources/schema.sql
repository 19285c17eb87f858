-- Runs at each start, on H2 and on PostgreSQL.

create table if not exists event (
    id    varchar(64) primary key,
    seats int         not null,
    sold  int         not null default 0
);

-- "token" is the fencing token of the lock under which the ticket was sold, to be shown. The fence has a table of its own.
create table if not exists ticket (
    event_id varchar(64) not null references event (id),
    number   int         not null,
    token    bigint      not null,
    primary key (event_id, number)
);

-- Where the instances listen, so that the page of one shows all of them.
create table if not exists live_instance (
    port    int    primary key,
    pid     bigint not null,
    seen_at bigint not null
);
