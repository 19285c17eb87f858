------------------------------ MODULE HandOver ------------------------------
(***************************************************************************)
(* A hand-over whose message carries the grant: when a waiter may believe  *)
(* the message, and for how long.                                          *)
(*                                                                         *)
(* Clock, line, acquires, releases and leaves are those of WaitingLine.    *)
(* New are the base of a ticket, the message that is believed, and the     *)
(* renewal that follows it.                                                *)
(*                                                                         *)
(* The base is the send time of the latest command whose answer proves     *)
(* that the ticket did not own the lock when it was executed. It ends a    *)
(* claim lease later, as the belief does that rests on it, and a ticket    *)
(* whose base has ended never gets another: a grant to it may have run out *)
(* unnoticed, and its message may still come. While there was always one,  *)
(* none has run out, so every message is about a grant after the base.     *)
(* Tokens have no part in that, nor has the clock they come from.          *)
(*                                                                         *)
(* Messages between clients and the store are a set. The message about a   *)
(* grant stays in it until its id is over: it is late, repeated or lost,   *)
(* and overtakes everything else. A request that is sent again may take    *)
(* the place of the one before, which is lost then.                        *)
(*                                                                         *)
(* A hand-over in memory keeps the id and the end of the belief: no step.  *)
(*                                                                         *)
(* Shared grants beside all this are in SharedHandOver.                    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,    \* JVMs
  Ids,        \* acquisition ids that all of them draw, at most
  Lease,      \* ticks
  Claim,      \* ticks for which a release grants the lock to the head of the line
  End,        \* the last tick
  Open,       \* acquires of one id that can be under way at a time
  Replays,    \* executions of requests that were executed before
  Features,   \* what clients do besides: "leave", "next", and "renew" what is held already
  Dropped     \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,
  owner,     \* field o; NoId: there is no key
  exp,       \* when the key expires; it is there while now < exp
  line,      \* field q: ids in the order of arrival
  net,       \* requests, answers and messages under way
  replays,
  cl,        \* the clients: state, number of the id, end of the belief, base of its ticket
  obliged    \* ids that have ended, and that their clients still release

server == <<owner, exp, line>>
vars == <<now, server, net, replays, cl, obliged>>

NoId == <<>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b

Id(c) == <<c, cl[c].n>>
\* The base is 0 if the ticket has none any more.
Client(state, n, until, base) == [st |-> state, n |-> n, until |-> until, base |-> base]
Idle(n) == Client("idle", n, 0, 0)
Asking(n) == Client("asking", n, 0, now)
Held(n, until) == Client("held", n, until, 0)
NextId(c) == cl[c].n + 1
MayDraw == Cardinality({<<c, n>> \in Clients \X (1..Ids) : n <= cl[c].n}) < Ids
Is(c, state) == cl[c].st = state
Asks(id) == cl[id[1]].n = id[2] /\ Is(id[1], "asking")
Holds(id) == cl[id[1]].n = id[2] /\ Is(id[1], "held")
IsOver(id) == cl[id[1]].n # id[2] \/ Is(id[1], "idle")
Believes(c) == Is(c, "held") /\ now < cl[c].until

Stands(id) == \E i \in DOMAIN line : line[i] = id
Without(id) == SelectSeq(line, LAMBDA other : other # id)

AcquireOf(id) == [k |-> "acq", id |-> id, sent |-> now]
RenewalOf(id) == [k |-> "ren", id |-> id, sent |-> now]
ReleaseOf(id, next) ==
  [k |-> "rel", id |-> id, next |-> next, sent |-> IF next = NoId THEN 0 ELSE now]

Of(kind, id) == {m \in net : m.k = kind /\ m.id = id}

\* As in LeaseLock: answers to an id that is over go unread, and messages about it as well.
AfterEndOf(id) ==
  {IF (m.k \in {"acq", "ren"} /\ m.id = id) \/ (m.k = "rel" /\ m.next = id) THEN [m EXCEPT !.sent = 0] ELSE m :
     m \in {m \in net : m.id = id =>
              /\ m.k \notin {"granted", "renewed", "taken"}
              /\ m.k = "wake" => ~Keeps("only the open ticket's")}}

\* Whether something is under way that could still make the id own the lock or stand in the line.
IsOpen(id) == \E m \in net : (m.k = "acq" /\ m.id = id) \/ (m.k = "rel" /\ m.next = id)

Init ==
  /\ now = 1 /\ owner = NoId /\ exp = 0 /\ line = <<>>
  /\ net = {} /\ replays = 0
  /\ cl = [c \in Clients |-> Idle(0)]
  /\ obliged = {}

-----------------------------------------------------------------------------
(* Clocks. *)

\* As in LeaseLock: how old something is that is too old to be believed makes no difference any more.
TooOld(sent, lease) == sent + lease <= now + 1

Aged(messages) ==
  {IF m.k \in {"acq", "rel", "ren"} /\ TooOld(m.sent, Lease) THEN [m EXCEPT !.sent = 0] ELSE m :
     m \in {m \in messages : /\ ~(m.k \in {"granted", "renewed"} /\ TooOld(m.sent, Lease))
                             /\ ~(m.k = "taken" /\ TooOld(m.sent, Claim))}}

\* The base of a ticket ends a claim lease after it was sent, and with it all that a message can prove to this ticket.
AgedClient(client) ==
  [client EXCEPT !.until = IF @ <= now + 1 THEN 0 ELSE @,
                 !.base = IF Keeps("counts from the base") /\ TooOld(@, Claim) THEN 0 ELSE @]

\* The line is a field of the key, and dies with it.
Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ net' = Aged(net)
  /\ cl' = [c \in Clients |-> AgedClient(cl[c])]
  /\ IF owner # NoId /\ now + 1 >= exp
     THEN owner' = NoId /\ exp' = 0 /\ line' = <<>>
     ELSE UNCHANGED <<owner, exp, line>>
  /\ UNCHANGED <<replays, obliged>>

-----------------------------------------------------------------------------
(* Clients. *)

\* The first request under a new id. The base begins here: before, there was no grant to this id.
Acquire(c) ==
  /\ Is(c, "idle") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Asking(NextId(c))]
  /\ net' = net \cup {AcquireOf(<<c, NextId(c)>>)}
  /\ UNCHANGED <<now, server, replays, obliged>>

\* The same again: a poll, or because a message came that is only a hint.
AcquireAgain(c) ==
  LET sent == Of("acq", Id(c))
  IN /\ Is(c, "asking")
     /\ net' = (IF Cardinality(sent) < Open THEN net ELSE net \ sent) \cup {AcquireOf(Id(c))}
     /\ UNCHANGED <<now, server, replays, cl, obliged>>

\* The answer "taken" to an acquire, or "in the line" to a release that named this id: when it was executed, the id
\* did not own the lock. If the base has not ended before the answer arrives, no grant to the id has run out in between,
\* so there was none: the next grant comes after the new base.
Taken(m) ==
  LET c == m.id[1]
  IN /\ m.k = "taken" /\ Asks(m.id) /\ m.sent > cl[c].base
     /\ Keeps("a base that has ended is the last") => cl[c].base # 0
     /\ cl' = [cl EXCEPT ![c].base = m.sent]
     /\ net' = net \ {m}
     /\ UNCHANGED <<now, server, replays, obliged>>

\* An answer for an id that is over, or that is believed to own the lock already, changes nothing.
Granted(r) ==
  /\ r.k = "granted" /\ Asks(r.id) /\ r.sent + Lease > now
  /\ cl' = [cl EXCEPT ![r.id[1]] = Held(r.id[2], r.sent + Lease)]
  /\ net' = net \ Of("granted", r.id)
  /\ UNCHANGED <<now, server, replays, obliged>>

\* The message is believed, and renewed at once. What it grants may be released, or passed on in memory, before the answer.
Notified(m) ==
  LET c == m.id[1]
      until == (IF Keeps("counts from the base") THEN cl[c].base ELSE now) + Claim
  IN
  /\ m.k = "wake" /\ Is(c, "asking")
  /\ Keeps("only the open ticket's") => Asks(m.id)
  /\ until > now
  /\ cl' = [cl EXCEPT ![c] = Held(cl[c].n, until)]
  /\ net' = net \cup {RenewalOf(Id(c))}
  /\ UNCHANGED <<now, server, replays, obliged>>

\* The watchdog; also the first renewal once more.
Renew(c) ==
  /\ "renew" \in Features
  /\ Believes(c) /\ now + Lease > cl[c].until
  /\ net' = (net \ Of("ren", Id(c))) \cup {RenewalOf(Id(c))}
  /\ UNCHANGED <<now, server, replays, cl, obliged>>

\* A loss is final, and nothing shortens what is left.
Renewed(r) ==
  /\ r.k = "renewed" /\ Holds(r.id) /\ Believes(r.id[1])
  /\ cl' = [cl EXCEPT ![r.id[1]].until = Max(@, r.sent + Lease)]
  /\ net' = net \ {r}
  /\ UNCHANGED <<now, server, replays, obliged>>

\* Without a waiter behind, of a grant that is held or over, whether or not its renewal was answered.
Release(c) ==
  /\ Is(c, "held")
  /\ cl' = [cl EXCEPT ![c] = Idle(cl[c].n)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), NoId)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<now, server, replays>>

\* With the id under which the next waiter of this JVM asks: the base of the next ticket begins with the release.
ReleaseForNext(c) ==
  /\ "next" \in Features
  /\ Is(c, "held") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Asking(NextId(c))]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), <<c, NextId(c)>>)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<now, server, replays>>

\* The last waiter of this JVM gives up: the ticket is closed first, then it is released.
Leave(c) ==
  /\ "leave" \in Features
  /\ Is(c, "asking")
  /\ cl' = [cl EXCEPT ![c] = Idle(cl[c].n)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), NoId)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<now, server, replays>>

\* The release was not answered, or its answer proves nothing.
Repeat(id) ==
  /\ Of("rel", id) = {}
  /\ net' = net \cup {ReleaseOf(id, NoId)}
  /\ UNCHANGED <<now, server, replays, cl, obliged>>

-----------------------------------------------------------------------------
(* The store. Each script is one step. *)

Executed(m, answers) ==
  \/ net' = (net \ {m}) \cup answers /\ UNCHANGED replays
  \/ replays < Replays /\ replays' = replays + 1 /\ net' = net \cup answers

GrantedTo(id, sent) ==
  IF Asks(id) /\ sent + Lease > now THEN {[k |-> "granted", id |-> id, sent |-> sent]} ELSE {}

TakenBy(id, sent) ==
  IF Asks(id) /\ sent + Claim > now THEN {[k |-> "taken", id |-> id, sent |-> sent]} ELSE {}

GrantTo(id, lease) == owner' = id /\ exp' = now + lease

FullLeaseAgain == exp' = Max(exp, now + Lease)

\* acquire.lua
ExecuteAcquire(m) ==
  /\ m.k = "acq"
  /\ \/ /\ owner = NoId
        /\ GrantTo(m.id, Lease)
        /\ Executed(m, GrantedTo(m.id, m.sent))
        /\ UNCHANGED line
     \/ /\ owner = m.id
        /\ FullLeaseAgain
        /\ Executed(m, GrantedTo(m.id, m.sent))
        /\ UNCHANGED <<owner, line>>
     \/ /\ owner \notin {NoId, m.id}
        /\ line' = IF Stands(m.id) THEN line ELSE Append(line, m.id)
        /\ Executed(m, TakenBy(m.id, m.sent))
        /\ UNCHANGED <<owner, exp>>
  /\ UNCHANGED <<now, cl, obliged>>

\* renew.lua. A refusal ends the belief; by BeliefEndsFirst it never meets one.
ExecuteRenew(m) ==
  /\ m.k = "ren"
  /\ \/ /\ owner = m.id
        /\ FullLeaseAgain
        /\ Executed(m, IF Holds(m.id) THEN {[k |-> "renewed", id |-> m.id, sent |-> m.sent]} ELSE {})
        /\ UNCHANGED <<owner, line>>
     \/ /\ owner # m.id /\ (owner # NoId \/ Keeps("renew never creates"))
        /\ Executed(m, {})
        /\ UNCHANGED server
     \/ /\ owner = NoId /\ ~Keeps("renew never creates")
        /\ GrantTo(m.id, Lease) /\ Executed(m, {}) /\ UNCHANGED line
  /\ UNCHANGED <<now, cl, obliged>>

IsFirst(id) == IF line = <<>> THEN FALSE ELSE Head(line) = id
MessageTo(id) == IF Asks(id) \/ ~Keeps("only the open ticket's")
                 THEN {[k |-> "wake", id |-> id]} ELSE {}

\* release.lua, its upper part: the id owns the lock.
HandOn(m) ==
  LET appended == IF m.next = NoId \/ Stands(m.next) THEN line ELSE Append(line, m.next)
  IN
  \/ /\ line # <<>> /\ ~IsFirst(m.next)
     /\ GrantTo(Head(line), Claim) /\ line' = Tail(appended)
     /\ Executed(m, MessageTo(Head(line))
                    \cup (IF m.next = NoId THEN {} ELSE TakenBy(m.next, m.sent)))
  \/ /\ m.next # NoId /\ (line = <<>> \/ IsFirst(m.next))
     /\ GrantTo(m.next, Lease) /\ line' = IF line = <<>> THEN line ELSE Tail(line)
     /\ Executed(m, GrantedTo(m.next, m.sent))
  \/ /\ m.next = NoId /\ line = <<>>
     /\ owner' = NoId /\ exp' = 0 /\ line' = <<>>
     /\ Executed(m, {})

\* release.lua, its lower part: it does not, any more or yet.
StepOut(m) ==
  \/ /\ m.next # NoId /\ owner = m.next
     /\ FullLeaseAgain
     /\ Executed(m, GrantedTo(m.next, m.sent))
     /\ UNCHANGED <<owner, line>>
  \/ /\ m.next = NoId \/ owner # m.next
     /\ line' = IF m.next # NoId /\ Stands(m.next) THEN line ELSE Without(m.id)
     /\ Executed(m, IF m.next # NoId /\ Stands(m.next) THEN TakenBy(m.next, m.sent) ELSE {})
     /\ UNCHANGED <<owner, exp>>

\* As in WaitingLine: whether the answer to a release is final.
IsFinal(m) == ~IsOpen(m.id) /\ (m.next = NoId \/ owner = m.id)

ExecuteRelease(m) ==
  /\ m.k = "rel"
  /\ IF owner = m.id THEN HandOn(m) ELSE StepOut(m)
  /\ obliged' = IF IsFinal(m) THEN obliged \ {m.id} ELSE obliged
  /\ UNCHANGED <<now, cl>>

\* A release whose first write is refused: the server is a replica now, or has too few. In the design that leaves no
\* trace, so it is a step only if PUBLISH, which is refused by neither, comes before the writes.
ReleaseFails(m) ==
  /\ m.k = "rel" /\ owner = m.id /\ line # <<>> /\ ~IsFirst(m.next)
  /\ ~Keeps("writes before the message")
  /\ net' = net \cup MessageTo(Head(line))
  /\ UNCHANGED <<now, server, replays, cl, obliged>>

-----------------------------------------------------------------------------
Next ==
  \/ Tick
  \/ \E c \in Clients :
       \/ Acquire(c) \/ AcquireAgain(c) \/ Renew(c)
       \/ Release(c) \/ ReleaseForNext(c) \/ Leave(c)
  \/ \E id \in obliged : Repeat(id)
  \/ \E m \in net :
       \/ Granted(m) \/ Taken(m) \/ Notified(m) \/ Renewed(m)
       \/ ExecuteAcquire(m) \/ ExecuteRenew(m) \/ ExecuteRelease(m) \/ ReleaseFails(m)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Clients)

-----------------------------------------------------------------------------
(* What must hold. *)

\* Promise 1: at most one client believes.
OneBelieves == Cardinality({c \in Clients : Believes(c)}) <= 1

\* Promise 2: a client that believes owns the key, which does not expire before the belief does.
BeliefEndsFirst == \A c \in Clients : Believes(c) => owner = Id(c) /\ cl[c].until <= exp

\* An id that owns the lock or stands in the line belongs to a client that asks or holds, or that still releases it.
NoIdIsForgotten ==
  \A c \in Clients : \A n \in 1..Ids :
    (owner = <<c, n>> \/ Stands(<<c, n>>)) /\ IsOver(<<c, n>>) => <<c, n>> \in obliged

\* Each id stands in the line once, and not beside owning the lock.
LineIsSane ==
  /\ \A i, j \in DOMAIN line : line[i] = line[j] => i = j
  /\ ~Stands(owner)
  /\ owner = NoId => line = <<>>
=============================================================================
