---------------------------- MODULE WaitingLine ----------------------------
(***************************************************************************)
(* One lock with its waiting line: grants from the line for the time of a  *)
(* claim, releases that name the next id of the same JVM, leaves, and what *)
(* is left of ids that were given up.                                      *)
(*                                                                         *)
(* Clock and messages are those of LeaseLock, tokens and renewals are left *)
(* to it. A client is a JVM: all its waiters ask under one id, so that one *)
(* of them going on where another gave up is no step here.                 *)
(*                                                                         *)
(* Polling needs no step of its own either: a client that asks may send    *)
(* another acquire at any time, with or without a message.                 *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,   \* JVMs
  Ids,       \* acquisition ids that all of them draw, at most
  Lease,     \* ticks
  Claim,     \* ticks in which a grant from the line must be claimed
  End,       \* the last tick
  Open,      \* acquires of one id that can be under way at a time
  Replays,   \* executions of requests that were executed before
  Dropped    \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,
  owner,     \* field o; NoId: there is no key
  exp,       \* when the key expires; it is there while now < exp
  line,      \* field q: ids in the order of arrival
  net,       \* requests and answers under way
  replays,
  cl,        \* the clients: state, number of the id, end of the belief
  obliged    \* ids that have ended, and that their clients still release

vars == <<now, owner, exp, line, net, replays, cl, obliged>>

NoId == <<>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b

Id(c) == <<c, cl[c].n>>
\* The owner of a lock that is kept for its minimum hold, see MinimumHold; here none is kept.
Kept(id) == Append(id, "kept")
Client(state, n, until) == [st |-> state, n |-> n, until |-> until]
NextId(c) == IF Keeps("fresh ids") THEN cl[c].n + 1 ELSE 1
MayDraw == Cardinality({<<c, n>> \in Clients \X (1..Ids) : n <= cl[c].n}) < Ids
Is(c, state) == cl[c].st = state
Asks(id) == cl[id[1]].n = id[2] /\ Is(id[1], "asking")
IsOver(id) == cl[id[1]].n # id[2] \/ Is(id[1], "idle")
Believes(c) == Is(c, "held") /\ now < cl[c].until

Stands(id) == \E i \in DOMAIN line : line[i] = id
Without(id) == SelectSeq(line, LAMBDA other : other # id)

AcquireOf(id) == [k |-> "acq", id |-> id, sent |-> now]
ReleaseOf(id, leaves, next) ==
  [k |-> "rel", id |-> id, leaves |-> leaves /\ ~Keeps("a leave hands on"), next |-> next,
   sent |-> IF next = NoId THEN 0 ELSE now]

\* As in LeaseLock: answers to an id that is over are ignored.
AfterEndOf(id) ==
  IF Keeps("leaving is final")
  THEN {IF (m.k = "acq" /\ m.id = id) \/ (m.k = "rel" /\ m.next = id) THEN [m EXCEPT !.sent = 0] ELSE m :
          m \in {m \in net : ~(m.k = "granted" /\ m.id = id)}}
  ELSE net

\* Whether something is under way that could still make the id own the lock or stand in the line.
IsOpen(id) == \E m \in net : (m.k = "acq" /\ m.id = id) \/ (m.k = "rel" /\ m.next = id)
MaySend(id) == Cardinality({m \in net : m.k = "acq" /\ m.id = id}) < Open

Init ==
  /\ now = 1 /\ owner = NoId /\ exp = 0 /\ line = <<>>
  /\ net = {} /\ replays = 0
  /\ cl = [c \in Clients |-> Client("idle", 0, 0)]
  /\ obliged = {}

-----------------------------------------------------------------------------
(* The clock. *)

\* As in LeaseLock: how old something is that is too old to be believed makes no difference any more.
TooOld(m) == m.sent + Lease <= now + 1

Aged(messages) ==
  {IF m.k \in {"acq", "rel"} /\ TooOld(m) THEN [m EXCEPT !.sent = 0] ELSE m :
     m \in {m \in messages : ~(m.k = "granted" /\ TooOld(m))}}

\* The line is a field of the key, and dies with it.
Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ net' = Aged(net)
  /\ cl' = [c \in Clients |-> IF cl[c].until <= now + 1 THEN [cl[c] EXCEPT !.until = 0] ELSE cl[c]]
  /\ IF owner # NoId /\ now + 1 >= exp
     THEN owner' = NoId /\ exp' = 0 /\ line' = <<>>
     ELSE UNCHANGED <<owner, exp, line>>
  /\ UNCHANGED <<replays, obliged>>

-----------------------------------------------------------------------------
(* Clients. *)

\* The first request under a new id.
Acquire(c) ==
  /\ Is(c, "idle") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Client("asking", NextId(c), 0)]
  /\ net' = net \cup {AcquireOf(<<c, NextId(c)>>)}
  /\ UNCHANGED <<now, owner, exp, line, replays, obliged>>

\* The same again: at the end of the owner's lease, after the poll interval, because a message came, or because the one before
\* was not answered.
AcquireAgain(c) ==
  /\ Is(c, "asking") /\ MaySend(Id(c))
  /\ net' = net \cup {AcquireOf(Id(c))}
  /\ UNCHANGED <<now, owner, exp, line, replays, cl, obliged>>

\* The answer to an acquire, or to a release that named this id. For an id that is over it changes nothing: see Repeat.
Granted(r) ==
  /\ r.k = "granted" /\ r.sent + Lease > now
  /\ \/ Asks(r.id)
     \/ ~Keeps("leaving is final") /\ IsOver(r.id) /\ Is(r.id[1], "idle")
  /\ cl' = [cl EXCEPT ![r.id[1]] = Client("held", r.id[2], r.sent + Lease)]
  /\ net' = net \ {m \in net : m.k = "granted" /\ m.id = r.id}
  /\ UNCHANGED <<now, owner, exp, line, replays, obliged>>

\* Every message is believed. Which of them may be is in HandOver.
Notified(m) ==
  /\ m.k = "wake" /\ Asks(m.id)
  /\ cl' = [cl EXCEPT ![m.id[1]] = Client("held", m.id[2], now + Lease)]
  /\ net' = net \ {m}
  /\ UNCHANGED <<now, owner, exp, line, replays, obliged>>

\* Without a waiter behind, of a lease that is held or over.
Release(c) ==
  /\ Is(c, "held")
  /\ cl' = [cl EXCEPT ![c] = Client("idle", cl[c].n, 0)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), FALSE, NoId)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<now, owner, exp, line, replays>>

\* With the id under which the next waiter of this JVM asks.
ReleaseForNext(c) ==
  /\ Is(c, "held") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Client("asking", NextId(c), 0)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), FALSE, <<c, NextId(c)>>)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<now, owner, exp, line, replays>>

\* The last waiter of this JVM gives up: the id is over first, then it is released.
Leave(c) ==
  /\ Is(c, "asking")
  /\ cl' = [cl EXCEPT ![c] = Client("idle", cl[c].n, 0)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), TRUE, NoId)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<now, owner, exp, line, replays>>

\* The release was not answered, or its answer proves nothing.
Repeat(id) ==
  /\ ~\E m \in net : m.k = "rel" /\ m.id = id
  /\ net' = net \cup {ReleaseOf(id, TRUE, NoId)}
  /\ UNCHANGED <<now, owner, exp, line, replays, cl, obliged>>

-----------------------------------------------------------------------------
(* The store. Each script is one step. *)

Executed(m, answers) ==
  \/ net' = (net \ {m}) \cup answers /\ UNCHANGED replays
  \/ replays < Replays /\ replays' = replays + 1 /\ net' = net \cup answers

GrantedTo(id, sent) == IF Asks(id) THEN {[k |-> "granted", id |-> id, sent |-> sent]} ELSE {}

FullLeaseAgain == exp' = IF Keeps("full lease again") THEN Max(exp, now + Lease) ELSE exp

\* acquire.lua
ExecuteAcquire(m) ==
  /\ m.k = "acq"
  /\ \/ /\ owner = NoId
        /\ owner' = m.id /\ exp' = now + Lease
        /\ Executed(m, GrantedTo(m.id, m.sent))
        /\ UNCHANGED line
     \/ /\ owner = m.id
        /\ FullLeaseAgain
        /\ Executed(m, GrantedTo(m.id, m.sent))
        /\ UNCHANGED <<owner, line>>
     \/ /\ owner \notin {NoId, m.id, Kept(m.id)}
        /\ line' = IF Stands(m.id) THEN line ELSE Append(line, m.id)
        /\ Executed(m, {})
        /\ UNCHANGED <<owner, exp>>
  /\ UNCHANGED <<now, cl, obliged>>

IsFirst(id) == IF line = <<>> THEN FALSE ELSE Head(line) = id

\* release.lua, its upper part: the id owns the lock.
HandOn(m) ==
  LET appended == IF m.next = NoId \/ Stands(m.next) THEN line ELSE Append(line, m.next)
  IN
  \/ /\ line # <<>> /\ ~IsFirst(m.next)
     /\ owner' = Head(line) /\ exp' = now + Claim /\ line' = Tail(appended)
     /\ Executed(m, IF Keeps("a message is a hint") THEN {} ELSE {[k |-> "wake", id |-> Head(line)]})
  \/ /\ m.next # NoId /\ (line = <<>> \/ IsFirst(m.next))
     /\ owner' = m.next /\ exp' = now + Lease /\ line' = IF line = <<>> THEN line ELSE Tail(line)
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
     /\ Executed(m, {})
     /\ UNCHANGED <<owner, exp>>

\* Whether the answer to a release is final: nothing is open that may be executed after it, and a release that finds its
\* successor in the store has not searched the line for its own id.
IsFinal(m) == ~Keeps("a leave is repeated") \/ (~IsOpen(m.id) /\ (m.next = NoId \/ owner = m.id))

ExecuteRelease(m) ==
  /\ m.k = "rel"
  /\ IF owner = m.id /\ (Keeps("a leave hands on") \/ ~m.leaves) THEN HandOn(m) ELSE StepOut(m)
  /\ obliged' = IF IsFinal(m) THEN obliged \ {m.id} ELSE obliged
  /\ UNCHANGED <<now, cl>>

-----------------------------------------------------------------------------
Next ==
  \/ Tick
  \/ \E c \in Clients :
       Acquire(c) \/ AcquireAgain(c) \/ Release(c) \/ ReleaseForNext(c) \/ Leave(c)
  \/ \E id \in obliged : Repeat(id)
  \/ \E m \in net : Granted(m)
  \/ \E m \in net : Notified(m)
  \/ \E m \in net : ExecuteAcquire(m)
  \/ \E m \in net : ExecuteRelease(m)

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
