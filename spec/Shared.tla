------------------------------- MODULE Shared -------------------------------
(***************************************************************************)
(* One lock that readers share with each other, and writers do not; or a   *)
(* semaphore, whose permits are shared as far as their weights allow.      *)
(*                                                                         *)
(* Clock, requests, releases that name a successor and leaves are those of *)
(* WaitingLine. New are holders with deadlines of their own, entries of    *)
(* the line that expire without polls, and the loop that grants the lock   *)
(* to the head of the line as long as it fits. A client requests one kind, *)
(* so a JVM that reads and writes is two clients here. Readers of a JVM    *)
(* that share a grant are one. So are the owners to whom a permit is       *)
(* passed on in memory, one after the other: id, end of the belief and     *)
(* token stay the same, which is no step.                                  *)
(*                                                                         *)
(* Messages are left to SharedHandOver.                                    *)
(***************************************************************************)
EXTENDS SharedStore

CONSTANTS
  Ids,       \* acquisition ids that all of them draw, at most
  End,       \* the last tick
  Open,      \* acquires of one id that can be under way at a time
  Replays    \* executions of requests that were executed before

VARIABLES
  net,       \* requests and answers under way
  replays,
  obliged,   \* ids that have ended, and that their clients still release
  wrong      \* what executions did that none may do

vars == <<now, db, net, replays, cl, obliged, wrong>>

Clients == Writers \cup Readers \cup Light \cup Heavy

Id(c) == <<c, cl[c].n>>
Client(state, n, until, token) == [st |-> state, n |-> n, until |-> until, tok |-> token]
NextId(c) == IF Keeps("fresh ids") THEN cl[c].n + 1 ELSE 1
MayDraw == Cardinality({<<c, n>> \in Clients \X (1..Ids) : n <= cl[c].n}) < Ids
Is(c, state) == cl[c].st = state
Asks(id) == cl[id[1]].n = id[2] /\ Is(id[1], "asking")
Holds(id) == cl[id[1]].n = id[2] /\ Is(id[1], "held")
IsOver(id) == cl[id[1]].n # id[2] \/ Is(id[1], "idle")
Believes(c) == Is(c, "held") /\ now < cl[c].until

Idle(c) == Client("idle", cl[c].n, 0, cl[c].tok)
Asking(c) == Client("asking", NextId(c), 0, cl[c].tok)

AcquireOf(id) == [k |-> "acq", id |-> id, sent |-> now]
RenewalOf(id) == [k |-> "ren", id |-> id, sent |-> now]
ReleaseOf(id, next) ==
  [k |-> "rel", id |-> id, next |-> next, sent |-> IF next = NoId THEN 0 ELSE now]
Answer(kind, id, sent, token) == {[k |-> kind, id |-> id, sent |-> sent, tok |-> token]}
IsAnswer(m) == m.k \in {"granted", "renewed", "downgraded"}

\* As in LeaseLock: answers to an id that is over are ignored.
AfterEndOf(id) ==
  {IF (m.k \in {"acq", "ren"} /\ m.id = id) \/ (m.k = "rel" /\ m.next = id) THEN [m EXCEPT !.sent = 0] ELSE m :
     m \in {m \in net : ~(IsAnswer(m) /\ m.id = id)}}

\* Whether something is under way that could still make the id own the lock or stand in the line.
\* Requests to downgrade are in Downgrade alone.
IsOpen(id) ==
  \E m \in net : \/ m.k = "acq" /\ m.id = id
                 \/ m.k = "rel" /\ m.next = id
                 \/ m.k = "down" /\ ReaderOf(m.id) = id
MaySend(kind, id) == Cardinality({m \in net : m.k = kind /\ m.id = id}) < Open

Init ==
  /\ now = 1 /\ db = NoKey(0) /\ net = {} /\ replays = 0
  /\ cl = [c \in Clients |-> Client("idle", 0, 0, 0)]
  /\ obliged = {} /\ wrong = {}

-----------------------------------------------------------------------------
(* The clock. *)

\* As in LeaseLock: how old something is that is too old to be believed makes no difference any more.
TooOld(m) == m.sent + Lease <= now + 1

Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ net' = {IF TooOld(m) THEN [m EXCEPT !.sent = 0] ELSE m : m \in {m \in net : ~(IsAnswer(m) /\ TooOld(m))}}
  /\ cl' = [c \in Clients |-> IF cl[c].until <= now + 1 THEN [cl[c] EXCEPT !.until = 0] ELSE cl[c]]
  /\ db' = IF db.o # NoId /\ now + 1 >= db.exp THEN NoKey(db.f) ELSE db
  /\ UNCHANGED <<replays, obliged, wrong>>

-----------------------------------------------------------------------------
(* Clients. *)

Store == <<now, db, replays, wrong>>

\* The first request under a new id; of readers, by the one that asks for all of its JVM, see SharedWaiting.
Acquire(c) ==
  /\ Is(c, "idle") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Asking(c)]
  /\ net' = net \cup {AcquireOf(<<c, NextId(c)>>)}
  /\ UNCHANGED <<Store, obliged>>

\* The same again: a poll, after a message that is a hint, or because the first one was not answered.
AcquireAgain(c) ==
  /\ Is(c, "asking") /\ MaySend("acq", Id(c))
  /\ net' = net \cup {AcquireOf(Id(c))}
  /\ UNCHANGED <<Store, cl, obliged>>

\* The answer to an acquire, or to a release that named this id.
Granted(r) ==
  /\ r.k = "granted" /\ Asks(r.id)
  /\ cl' = [cl EXCEPT ![r.id[1]] =
              Client("held", r.id[2], (IF Keeps("counts from the sending") THEN r.sent ELSE now) + Lease, r.tok)]
  /\ net' = net \ {m \in net : m.k = "granted" /\ m.id = r.id}
  /\ UNCHANGED <<Store, obliged>>

Renew(c) ==
  /\ "renew" \in Features /\ Believes(c) /\ MaySend("ren", Id(c))
  /\ net' = net \cup {RenewalOf(Id(c))}
  /\ UNCHANGED <<Store, cl, obliged>>

\* The answer, if the belief has not ended.
Renewed(r) ==
  /\ r.k = "renewed" /\ Holds(r.id) /\ Believes(r.id[1])
  /\ cl' = [cl EXCEPT ![r.id[1]].until = Max(@, r.sent + Lease)]
  /\ net' = net \ {r}
  /\ UNCHANGED <<Store, obliged>>

\* A permit that is passed on in memory keeps its token: those of other permits, which are held beside it, lie between
\* this token and the next one of the store.
PassPermitOn(c) ==
  /\ ~Keeps("a permit that is passed on keeps its token")
  /\ Believes(c) /\ Weight(Id(c)) > 0
  /\ cl' = [cl EXCEPT ![c].tok = @ + 1]
  /\ UNCHANGED <<Store, net, obliged>>

\* Of a lease that is held or has ended; the last reader of a JVM releases for all of them.
Release(c) ==
  /\ Is(c, "held")
  /\ cl' = [cl EXCEPT ![c] = Idle(c)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), NoId)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED Store

\* The next waiter of this JVM may request another kind: then it is another client.
ReleaseForNext(c, d) ==
  /\ "next" \in Features /\ Is(c, "held") /\ MayDraw
  /\ d = c \/ ("kinds" \in Features /\ Is(d, "idle"))
  /\ cl' = [cl EXCEPT ![c] = Idle(c), ![d] = Asking(d)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), <<d, NextId(d)>>)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED Store

\* The last waiter of this JVM gives up.
Leave(c) ==
  /\ "leave" \in Features /\ Is(c, "asking")
  /\ cl' = [cl EXCEPT ![c] = Idle(c)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), NoId)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED Store

\* The release was not answered, or its answer proves nothing.
Repeat(id) ==
  /\ ~\E m \in net : m.k = "rel" /\ m.id = id
  /\ net' = net \cup {ReleaseOf(id, NoId)}
  /\ UNCHANGED <<Store, cl, obliged>>

-----------------------------------------------------------------------------
(* The store. Each script is one step. *)

\* Whether a grant passed an entry that was ahead of it, and still stands in the line.
Passed(k) ==
  \E id \in {id \in Owners(k) \ Owners(db) : Len(id) = 2} : \E i \in DOMAIN db.line :
    /\ Stands(k, db.line[i]) /\ db.line[i] # id /\ ~IsDead(db, db.line[i])
    /\ ~\E j \in 1..i : db.line[j] = id

\* The first entry of the line that has not expired would fit beside the holders that have not.
Left(k) ==
  LET line == SelectSeq(k.line, LAMBDA id : ~IsDead(k, id))
  IN IsShared(k) /\ line # <<>> /\ Fits([k EXCEPT !.h = Only(@, Live(k))], Head(line))

Becomes(m, k, answers, loops) ==
  /\ db' = k
  /\ wrong' = wrong \cup (IF Passed(k) THEN {"passed"} ELSE {}) \cup (IF loops /\ Left(k) THEN {"left"} ELSE {})
  /\ \/ net' = (net \ {m}) \cup answers /\ UNCHANGED replays
     \/ replays < Replays /\ replays' = replays + 1 /\ net' = net \cup answers
  /\ UNCHANGED <<now, cl>>

GrantedTo(k, id, sent) ==
  IF id # NoId /\ IsOwner(k, id) /\ Asks(id) /\ sent + Lease > now THEN Answer("granted", id, sent, TokenOf(k, id)) ELSE {}

ExecuteAcquire(m) ==
  /\ m.k = "acq"
  /\ LET k == Written(Acquired(First(db, m.id), m.id)) IN Becomes(m, k, GrantedTo(k, m.id, m.sent), TRUE)
  /\ UNCHANGED obliged

\* Ids in the line whose inbox may have no receiver at this moment: the connection of its JVM is interrupted.
Unreachable(m) ==
  IF "skips" \in Features THEN SUBSET ({db.line[i] : i \in DOMAIN db.line} \ {m.next}) ELSE {{}}

\* As in WaitingLine: whether the answer is final.
IsFinal(m) ==
  ~Keeps("a release is repeated") \/ (~IsOpen(m.id) /\ (m.next = NoId \/ IsOwner(First(db, m.next), m.id)))

ExecuteRelease(m, skipped) ==
  /\ m.k = "rel"
  /\ LET k == Written(Released(First(db, m.next), m.id, m.next, skipped))
     IN Becomes(m, k, GrantedTo(k, m.next, m.sent), TRUE)
  /\ obliged' = IF IsFinal(m) THEN obliged \ {m.id} ELSE obliged

\* renew.lua. "Not the owner" has the effect of no answer here.
ExecuteRenew(m) ==
  /\ m.k = "ren"
  /\ LET has == IF Keeps("a renewal revives no grant") THEN m.id \in Owners(db) ELSE IsOwner(db, m.id)
         answer == IF has /\ Holds(m.id) /\ m.sent + Lease > now THEN Answer("renewed", m.id, m.sent, 0) ELSE {}
     IN Becomes(m, IF has THEN Written(Extend(db, m.id)) ELSE db, answer, FALSE)
  /\ UNCHANGED obliged

-----------------------------------------------------------------------------
\* Requests that are late may be executed at any time; the others are, in the step after their sending.
IsLate(m) == "late" \in Features \/ (m.k = "rel" /\ "late releases" \in Features) \/ (m.k = "ren" /\ "late renewals" \in Features)
Rushes == \E m \in net : ~IsAnswer(m) /\ ~IsLate(m)

Others ==
  \/ Tick
  \/ \E c \in Clients : Acquire(c) \/ AcquireAgain(c) \/ Renew(c) \/ PassPermitOn(c) \/ Release(c) \/ Leave(c)
  \/ \E c, d \in Clients : ReleaseForNext(c, d)
  \/ \E id \in obliged : Repeat(id)
  \/ \E m \in net : Granted(m) \/ Renewed(m)

Next ==
  \/ \E m \in net : ExecuteAcquire(m) \/ ExecuteRenew(m)
  \/ \E m \in net : m.k = "rel" /\ \E skipped \in Unreachable(m) : ExecuteRelease(m, skipped)
  \/ ~Rushes /\ Others

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Writers) \cup Permutations(Readers) \cup Permutations(Light) \cup Permutations(Heavy)

-----------------------------------------------------------------------------
(* What must hold. *)

\* Promise 1: a writer believes alone, and permits are believed within their limit.
AtMostTheLimit ==
  /\ \A c \in Writers : Believes(c) => \A d \in Clients \ {c} : ~Believes(d)
  /\ Sum({Id(c) : c \in {c \in Clients : Believes(c)}}) <= Limit

\* Promise 2: a client that believes has a grant in the store, which does not end before.
BeliefEndsFirst ==
  \A c \in Clients : Believes(c) =>
    /\ Id(c) \in Owners(db) /\ cl[c].until <= db.exp
    /\ IsShared(db) => cl[c].until <= db.h[Id(c)].dl

HoldersFit ==
  /\ IsShared(db) => Sum(Live(db)) <= Limit /\ \A id \in DOMAIN db.h : ~IsWriter(id) /\ MarkerOf(id) = db.o
  /\ ~IsShared(db) => db.h = Empty

KeyEndsLast == IsShared(db) => db.exp = Latest(db)

NoGrantPassesTheHead == "passed" \notin wrong
HeadThatFitsIsGranted == "left" \notin wrong

NoIdIsForgotten ==
  \A c \in Clients : \A n \in 1..Ids :
    (<<c, n>> \in Owners(db) \/ Stands(db, <<c, n>>)) /\ IsOver(<<c, n>>) => <<c, n>> \in obliged

\* Each id stands in the line once, and not beside having the lock; deadlines belong to entries, and a line to a lock.
LineIsSane ==
  /\ \A i, j \in DOMAIN db.line : db.line[i] = db.line[j] => i = j
  /\ \A id \in Owners(db) : ~Stands(db, id)
  /\ DOMAIN db.w = {db.line[i] : i \in DOMAIN db.line}
  /\ db.o = NoId => db.line = <<>>

\* Promise 5: a writer's token exceeds all before, a reader's all of writers before; no two permits have the same.
TokensGrow ==
  \A c \in Clients : Believes(c) => \A d \in Clients \ {c} :
    IF c \in Writers THEN cl[d].tok < cl[c].tok
    ELSE IF c \in Readers THEN d \in Writers => cl[d].tok < cl[c].tok
    ELSE Believes(d) => cl[d].tok # cl[c].tok
=============================================================================
