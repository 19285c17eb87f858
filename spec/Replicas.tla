------------------------------ MODULE Replicas ------------------------------
(***************************************************************************)
(* Grants that survive a failover: a grant or a renewal is believed only   *)
(* when replicas have acknowledged it. Grants along the waiting line and   *)
(* to the successor that a release names are no exception, whichever       *)
(* master has made them.                                                   *)
(*                                                                         *)
(* A server has a log of the states of the key, the line included; a       *)
(* replica has a prefix of the log of the server that it follows. A        *)
(* failover promotes a replica, and the old master goes on as a master,    *)
(* with the replicas that still follow it, until it learns of its          *)
(* successor. Each client may be connected to either of them at any time.  *)
(*                                                                         *)
(* After a grant by the store, the client sends a pair of commands on a    *)
(* connection of its own: a write on the key if the id owns it, and WAIT,  *)
(* which covers the writes of its connection and nothing else. Commands    *)
(* and their answers are one step, unless the answer is lost (GiveUp):     *)
(* late and repeated ones are left to LeaseLock and WaitingLine.           *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,    \* JVMs; each has one contender for the lock at a time
  Master,     \* the first master
  Replicas,   \* the servers that follow it
  Ids,        \* acquisition ids that all of them draw, at most
  Lease,      \* ticks
  Claim,      \* ticks for which a release grants the lock to the head of the line
  End,        \* the last tick
  Confirm,    \* confirm-replicas
  Promotes,   \* "any" replica, or "most advanced"
  Failovers,
  Lag,        \* writes that some server may not have yet
  Dropped     \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,
  log,       \* of each server: owner, end and line of the key after each of its writes, in absolute time
  follows,   \* of each server: its master; a master follows itself
  current,   \* the server that was promoted last
  failovers,
  cl         \* the clients

vars == <<now, log, follows, current, failovers, cl>>

NoId == <<>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b
Servers == {Master} \cup Replicas

\* The pair of commands: not sent, or sent at a tick, or executed by a server and waiting for its offset there.
NoPair == [st |-> "none", sent |-> 0, on |-> Master, offset |-> 1]
Client(state, n, until) == [st |-> state, n |-> n, until |-> until, pair |-> NoPair]
Id(c) == <<c, cl[c].n>>
MayDraw == Cardinality({<<c, n>> \in Clients \X (1..Ids) : n <= cl[c].n}) < Ids
Is(c, state) == cl[c].st = state
Believes(c) == Is(c, "held") /\ now < cl[c].until
Stands(line, id) == \E i \in DOMAIN line : line[i] = id

IsMaster(s) == follows[s] = s
Last(s) == log[s][Len(log[s])]
Owner(s) == IF now < Last(s).exp THEN Last(s).owner ELSE NoId
Line(s) == IF now < Last(s).exp THEN Last(s).line ELSE <<>>
Key(id, exp, line) == [owner |-> id, exp |-> exp, line |-> line]
NoKey == Key(NoId, 0, <<>>)
Write(s, key) == Len(log[s]) <= Lag /\ log' = [log EXCEPT ![s] = Append(@, key)]

Needed ==
  IF ~Keeps("replicas confirm") THEN 0 ELSE IF ~Keeps("all replicas confirm") THEN Confirm - 1 ELSE Confirm

Init ==
  /\ now = 1
  /\ log = [s \in Servers |-> <<NoKey>>]
  /\ follows = [s \in Servers |-> Master]
  /\ current = Master /\ failovers = 0
  /\ cl = [c \in Clients |-> Client("idle", 0, 0)]

-----------------------------------------------------------------------------
(* The clock, replication and failover. *)

\* What all servers have in common is forgotten but for its last state; offsets count from there.
RECURSIVE CommonAfter(_, _)
CommonAfter(logs, k) ==
  IF \A s \in Servers : Len(logs[s]) > k + 1 /\ logs[s][k + 2] = logs[Master][k + 2]
  THEN CommonAfter(logs, k + 1) ELSE k
Common(logs) == IF \A s \in Servers : logs[s][1] = logs[Master][1] THEN CommonAfter(logs, 0) ELSE 0

Trim(logs, client) ==
  LET common == Common(logs)
  IN /\ log' = [s \in Servers |-> SubSeq(logs[s], common + 1, Len(logs[s]))]
     /\ cl' = [c \in Clients |-> [client[c] EXCEPT !.pair.offset = Max(@ - common, 1)]]

Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ cl' = [c \in Clients |-> IF cl[c].until <= now + 1 THEN [cl[c] EXCEPT !.until = 0] ELSE cl[c]]
  /\ log' = [s \in Servers |-> [i \in DOMAIN log[s] |->
                IF log[s][i].exp <= now + 1 THEN NoKey ELSE log[s][i]]]
  /\ UNCHANGED <<follows, current, failovers>>

\* In order, one write at a time.
Replicate(s) ==
  LET from == follows[s]
  IN /\ ~IsMaster(s) /\ IsMaster(from) /\ Len(log[s]) < Len(log[from])
     /\ Trim([log EXCEPT ![s] = Append(@, log[from][Len(@) + 1])], cl)
     /\ UNCHANGED <<now, follows, current, failovers>>

Failover(s) ==
  /\ failovers < Failovers
  /\ follows[s] = current /\ s # current
  /\ Promotes = "most advanced" =>
       \A other \in Servers \ {current} : follows[other] = current => Len(log[other]) <= Len(log[s])
  /\ failovers' = failovers + 1
  /\ follows' = [follows EXCEPT ![s] = s]
  /\ current' = s
  /\ UNCHANGED <<now, log, cl>>

\* Another server learns of the promotion, and takes over its data: a replica, or the old master, which is one then. A
\* server that becomes a replica answers those that WAIT with an error.
Follow(s) ==
  /\ s # current /\ follows[s] # current
  /\ follows' = [follows EXCEPT ![s] = current]
  /\ Trim([log EXCEPT ![s] = log[current]],
          [c \in Clients |-> IF cl[c].pair.st = "written" /\ cl[c].pair.on = s /\ Keeps("one connection")
                             THEN [cl[c] EXCEPT !.pair = NoPair] ELSE cl[c]])
  /\ UNCHANGED <<now, current, failovers>>

-----------------------------------------------------------------------------
(* Clients, and the scripts that they run on a master, be it the right one or not. *)

Acquire(c) ==
  /\ Is(c, "idle") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Client("asking", cl[c].n + 1, 0)]
  /\ UNCHANGED <<now, log, follows, current, failovers>>

\* acquire.lua. The store has granted the lock, and the client does not believe it yet; or the id joins the line. The first time,
\* as a poll, and after a message that the lock was granted along the line: such a message is a hint.
ExecuteAcquire(c, s) ==
  /\ Is(c, "asking") /\ IsMaster(s)
  /\ \/ /\ Owner(s) \in {NoId, Id(c)}
        /\ Write(s, Key(Id(c), Max(Last(s).exp, now + Lease), Line(s)))
        /\ cl' = [cl EXCEPT ![c].st = "granted"]
     \/ /\ Owner(s) \notin {NoId, Id(c)} /\ ~Stands(Line(s), Id(c))
        /\ Write(s, [Last(s) EXCEPT !.line = Append(@, Id(c))])
        /\ UNCHANGED cl
  /\ UNCHANGED <<now, follows, current, failovers>>

\* The pair is sent: after a grant, and for each renewal.
Send(c) ==
  /\ Is(c, "granted") \/ (Believes(c) /\ cl[c].until < now + Lease)
  /\ cl[c].pair.st = "none"
  /\ cl' = [cl EXCEPT ![c].pair = [NoPair EXCEPT !.st = "sent", !.sent = now]]
  /\ UNCHANGED <<now, log, follows, current, failovers>>

Extended(c, until) == [cl[c] EXCEPT !.st = "held", !.until = Max(@, until), !.pair = NoPair]

\* renew.lua for a confirmation: PEXPIRE on the owner, although it may change nothing. Otherwise WAIT has nothing to wait for.
ExecuteConfirm(c, s) ==
  LET until == Max(Last(s).exp, now + Lease)
      writes == Keeps("the write is unconditional") \/ until > Last(s).exp
  IN
  /\ cl[c].pair.st = "sent" /\ IsMaster(s) /\ Owner(s) = Id(c)
  /\ IF writes THEN Write(s, Key(Id(c), until, Line(s))) ELSE UNCHANGED log
  /\ cl' = [cl EXCEPT ![c] =
       IF Is(c, "held") /\ ~Keeps("renewals are confirmed")
       THEN Extended(c, @.pair.sent + Lease)
       ELSE [@ EXCEPT !.pair.st = "written", !.pair.on = s, !.pair.offset = IF writes THEN Len(log[s]) + 1 ELSE 1]]
  /\ UNCHANGED <<now, follows, current, failovers>>

Acknowledged(s, offset) ==
  {other \in Servers \ {s} : follows[other] = s /\ Len(log[other]) >= offset}

\* The answer to WAIT. On another connection there was no write to wait for.
Confirmed(c, s) ==
  LET pair == cl[c].pair
      until == (IF Keeps("counts from the pair") THEN pair.sent ELSE now) + Lease
  IN
  /\ pair.st = "written" /\ IsMaster(s) /\ until > now
  /\ \/ s = pair.on /\ Cardinality(Acknowledged(s, pair.offset)) >= Needed
     \/ ~Keeps("one connection") /\ Cardinality(Acknowledged(s, 1)) >= Needed
  /\ Is(c, "held") => Believes(c)
  /\ cl' = [cl EXCEPT ![c] = Extended(c, until)]
  /\ UNCHANGED <<now, log, follows, current, failovers>>

\* No answer, too few acknowledgements, the connection broke, or the server does not know the grant. A grant that was not
\* confirmed is asked for again, maybe on another server, where the id may stand in the line.
Fail(c) ==
  /\ cl[c].pair.st # "none"
  /\ cl' = [cl EXCEPT ![c].pair = NoPair, ![c].st = IF @ = "granted" THEN "asking" ELSE @]
  /\ UNCHANGED <<now, log, follows, current, failovers>>

Ended(c) == Client("idle", cl[c].n, 0)

\* The release is lost, or finds that another server's data do not know its id.
GiveUp(c) ==
  /\ cl[c].st \in {"asking", "granted", "held"}
  /\ cl' = [cl EXCEPT ![c] = Ended(c)]
  /\ UNCHANGED <<now, log, follows, current, failovers>>

\* release.lua: it grants the lock to the first in the line, or frees it.
Release(c, s) ==
  /\ cl[c].st \in {"granted", "held"} /\ IsMaster(s) /\ Owner(s) = Id(c)
  /\ Write(s, IF Line(s) = <<>> THEN NoKey ELSE Key(Head(Line(s)), now + Claim, Tail(Line(s))))
  /\ cl' = [d \in Clients |->
       IF d = c THEN Ended(c)
       ELSE IF ~Keeps("a message is a hint") /\ Is(d, "asking") /\ Line(s) # <<>> /\ Id(d) = Last(s).line[1]
       THEN Client("held", cl[d].n, now + Claim)
       ELSE cl[d]]
  /\ UNCHANGED <<now, follows, current, failovers>>

\* release.lua with the next id of the same JVM, which gets the lock if no other waits, or joins the line.
ReleaseForNext(c, s) ==
  LET next == <<c, cl[c].n + 1>>
      isNext == Line(s) = <<>>
  IN
  /\ Is(c, "held") /\ MayDraw /\ IsMaster(s) /\ Owner(s) = Id(c)
  /\ Write(s, IF isNext THEN Key(next, now + Lease, <<>>)
              ELSE Key(Head(Line(s)), now + Claim, Append(Tail(Line(s)), next)))
  /\ cl' = [cl EXCEPT ![c] =
       IF ~isNext THEN Client("asking", next[2], 0)
       ELSE IF Keeps("successors are confirmed") THEN Client("granted", next[2], 0)
       ELSE Client("held", next[2], now + Lease)]
  /\ UNCHANGED <<now, follows, current, failovers>>

-----------------------------------------------------------------------------
Next ==
  \/ Tick
  \/ \E s \in Servers : Replicate(s) \/ Failover(s) \/ Follow(s)
  \/ \E c \in Clients : Acquire(c) \/ Send(c) \/ Fail(c) \/ GiveUp(c)
  \/ \E c \in Clients, s \in Servers :
       ExecuteAcquire(c, s) \/ ExecuteConfirm(c, s) \/ Confirmed(c, s) \/ Release(c, s) \/ ReleaseForNext(c, s)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Clients) \cup Permutations(Replicas)

-----------------------------------------------------------------------------
(* What must hold. *)

\* Promise 1, over a failover as well: at most one client believes.
OneBelieves == Cardinality({c \in Clients : Believes(c)}) <= 1

\* The server that was promoted last knows what is believed, for as long as it is.
BelievedIsKnown ==
  \A c \in Clients : Believes(c) => Owner(current) = Id(c) /\ cl[c].until <= Last(current).exp

\* On each server: each id stands in the line once, and not beside owning the lock.
LineIsSane ==
  \A s \in Servers :
    /\ \A i, j \in DOMAIN Line(s) : Line(s)[i] = Line(s)[j] => i = j
    /\ ~Stands(Line(s), Owner(s))
=============================================================================
