------------------------------- MODULE Shared -------------------------------
(***************************************************************************)
(* One lock that readers share with each other, and writers with nobody; or *)
(* a semaphore, whose permits are shared as far as their weights allow.     *)
(*                                                                          *)
(* Clock, messages, releases that take the next id along and leaves are     *)
(* those of WaitingLine. New are holders with deadlines of their own,       *)
(* entries of the line that end when nobody polls, and the loop that grants *)
(* the head of the line as long as it fits. A client asks for one kind, so  *)
(* a JVM that reads and writes is two clients here. Those of its readers    *)
(* that share a grant are one.                                              *)
(*                                                                          *)
(* An older client knows nothing of all that. One that forces the lock open *)
(* grants it to the head exclusively, and leaves the fields of the holders  *)
(* behind. What it took away from them is void: that they still believe is  *)
(* what a forced unlock means.                                              *)
(***************************************************************************)
EXTENDS SharedStore

CONSTANTS
  Ids,       \* acquisition ids that all of them draw, at most
  End,       \* the last tick
  Open,      \* acquires of one id that can be under way at a time
  Replays,   \* executions of requests that were executed before
  Forces     \* forced unlocks by older clients

VARIABLES
  net,       \* requests and answers under way
  replays,
  obliged,   \* ids that their clients are done with, and still send releases for
  forces,
  void,      \* ids whose grants a forced unlock took away
  wrong      \* what executions did that none may do

vars == <<now, db, net, replays, cl, obliged, forces, void, wrong>>

Clients == Writers \cup Readers \cup Light \cup Heavy

Id(c) == <<c, cl[c].n>>
Client(state, n, until, token) == [st |-> state, n |-> n, until |-> until, tok |-> token]
NextId(c) == IF Keeps("fresh ids") THEN cl[c].n + 1 ELSE 1
MayDraw == Cardinality({<<c, n>> \in Clients \X (1..Ids) : n <= cl[c].n}) < Ids
Is(c, state) == cl[c].st = state
Asks(id) == cl[id[1]].n = id[2] /\ Is(id[1], "asking")
Holds(id) == cl[id[1]].n = id[2] /\ Is(id[1], "held")
IsOver(id) == cl[id[1]].n # id[2] \/ Is(id[1], "idle")
Counts(c) == Is(c, "held") /\ now < cl[c].until
Believes(c) == Counts(c) /\ Id(c) \notin void

AcquireOf(id) == [k |-> "acq", id |-> id, sent |-> now]
RenewalOf(id) == [k |-> "ren", id |-> id, sent |-> now]
ReleaseOf(id, next) ==
  [k |-> "rel", id |-> id, next |-> next, sent |-> IF next = Nobody THEN 0 ELSE now]
Answer(kind, id, sent, token) == {[k |-> kind, id |-> id, sent |-> sent, tok |-> token]}
IsAnswer(m) == m.k \in {"granted", "renewed", "downgraded"}

\* As in LeaseLock: nobody listens any more.
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
  /\ obliged = {} /\ forces = 0 /\ void = {} /\ wrong = {}

-----------------------------------------------------------------------------
(* The clock. *)

\* As in LeaseLock: how old something is that is too old to be believed makes no difference any more.
TooOld(m) == m.sent + Lease <= now + 1

Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ net' = {IF TooOld(m) THEN [m EXCEPT !.sent = 0] ELSE m : m \in {m \in net : ~(IsAnswer(m) /\ TooOld(m))}}
  /\ cl' = [c \in Clients |-> IF cl[c].until <= now + 1 THEN [cl[c] EXCEPT !.until = 0] ELSE cl[c]]
  /\ db' = IF db.o # Nobody /\ now + 1 >= db.exp THEN NoKey(db.f) ELSE db
  /\ UNCHANGED <<replays, obliged, forces, void, wrong>>

-----------------------------------------------------------------------------
(* Clients. *)

Store == <<now, db, replays, forces, wrong>>

\* BlockingAcquirer.poll, the first time; of readers the one that asks for all of its JVM, see ReaderGroups.
Acquire(c) ==
  /\ Is(c, "idle") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Client("asking", NextId(c), 0, @.tok)]
  /\ net' = net \cup {AcquireOf(<<c, NextId(c)>>)}
  /\ UNCHANGED <<Store, obliged, void>>

AcquireAgain(c) ==
  /\ Is(c, "asking") /\ MaySend("acq", Id(c))
  /\ net' = net \cup {AcquireOf(Id(c))}
  /\ UNCHANGED <<Store, cl, obliged, void>>

\* GrantFactory.create, from Attempts or Succession.
Granted(r) ==
  /\ r.k = "granted" /\ Asks(r.id)
  /\ cl' = [cl EXCEPT ![r.id[1]] =
              Client("held", r.id[2], (IF Keeps("counts from the sending") THEN r.sent ELSE now) + Lease, r.tok)]
  /\ net' = net \ {m \in net : m.k = "granted" /\ m.id = r.id}
  /\ UNCHANGED <<Store, obliged, void>>

\* Watchdog, Renewer
Renew(c) ==
  /\ "renew" \in Features /\ Counts(c) /\ MaySend("ren", Id(c))
  /\ net' = net \cup {RenewalOf(Id(c))}
  /\ UNCHANGED <<Store, cl, obliged, void>>

\* RenewalAttempt.renewed, if the lease has not ended.
Renewed(r) ==
  /\ r.k = "renewed" /\ Holds(r.id) /\ Counts(r.id[1])
  /\ cl' = [cl EXCEPT ![r.id[1]].until = Max(@, r.sent + Lease)]
  /\ net' = net \ {r}
  /\ void' = void \ {r.id}
  /\ UNCHANGED <<Store, obliged>>

\* StoreRelease, of a lease that is held or over; the last reader of a JVM releases for all of them.
Release(c) ==
  /\ Is(c, "held")
  /\ cl' = [cl EXCEPT ![c] = Client("idle", cl[c].n, 0, @.tok)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), Nobody)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<Store, void>>

\* StoreRelease with a Successor.
ReleaseForNext(c) ==
  /\ "next" \in Features /\ Is(c, "held") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Client("asking", NextId(c), 0, @.tok)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), <<c, NextId(c)>>)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<Store, void>>

\* Succession.passOn when no waiter of this JVM is left.
Leave(c) ==
  /\ "leave" \in Features /\ Is(c, "asking")
  /\ cl' = [cl EXCEPT ![c] = Client("idle", cl[c].n, 0, @.tok)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(Id(c), Nobody)}
  /\ obliged' = obliged \cup {Id(c)}
  /\ UNCHANGED <<Store, void>>

\* OrphanCleanup.Task
Repeat(id) ==
  /\ ~\E m \in net : m.k = "rel" /\ m.id = id
  /\ net' = net \cup {ReleaseOf(id, Nobody)}
  /\ UNCHANGED <<Store, cl, obliged, void>>

-----------------------------------------------------------------------------
(* The store. Each script is one step. *)

IsDead(k, id) == IsShared(k) /\ id \in DOMAIN k.w /\ k.w[id] <= now

\* Somebody is granted the lock who was not before others that still stand in the line.
Passed(k) ==
  \E id \in {id \in Has(k) \ Has(db) : Len(id) = 2} : \E i \in DOMAIN db.line :
    /\ Stands(k, db.line[i]) /\ db.line[i] # id /\ ~IsDead(db, db.line[i])
    /\ ~\E j \in 1..i : db.line[j] = id

\* The first in the line that is alive would fit beside the holders that are.
Left(k) ==
  LET line == SelectSeq(k.line, LAMBDA id : ~IsDead(k, id))
  IN IsShared(k) /\ line # <<>> /\ Fits([k EXCEPT !.h = Only(@, Live(k))], Head(line))

Becomes(m, k, answers, loops) ==
  /\ db' = k
  /\ wrong' = wrong \cup (IF Passed(k) THEN {"passed"} ELSE {}) \cup (IF loops /\ Left(k) THEN {"left"} ELSE {})
  /\ void' = void \ ((Has(k) \ Has(db)) \cap ({db.line[i] : i \in DOMAIN db.line} \cup (IF m.k = "rel" THEN {m.next} ELSE {m.id})))
  /\ \/ net' = (net \ {m}) \cup answers /\ UNCHANGED replays
     \/ replays < Replays /\ replays' = replays + 1 /\ net' = net \cup answers
  /\ UNCHANGED <<now, cl, forces>>

GrantedTo(k, id, sent) ==
  IF id # Nobody /\ IsHis(k, id) /\ Asks(id) /\ sent + Lease > now THEN Answer("granted", id, sent, TokenOf(k, id)) ELSE {}

ExecuteAcquire(m) ==
  /\ m.k = "acq"
  /\ LET k == Written(db, Acquired(First(db), m.id)) IN Becomes(m, k, GrantedTo(k, m.id, m.sent), TRUE)
  /\ UNCHANGED obliged

\* As in WaitingLine: whether the answer is the last word.
IsFinal(m) == ~Keeps("a release is repeated") \/ (~IsOpen(m.id) /\ (m.next = Nobody \/ IsHis(First(db), m.id)))

ExecuteRelease(m) ==
  /\ m.k = "rel"
  /\ LET k == Written(db, Released(First(db), m.id, m.next)) IN Becomes(m, k, GrantedTo(k, m.next, m.sent), TRUE)
  /\ obliged' = IF IsFinal(m) THEN obliged \ {m.id} ELSE obliged

\* renew.lua. That it finds nothing is as good as no answer here.
ExecuteRenew(m) ==
  /\ m.k = "ren"
  /\ LET found == IF Keeps("a renewal revives nobody") THEN Purged(db) ELSE db
         has == IsHis(found, m.id)
         answer == IF has /\ Holds(m.id) /\ m.sent + Lease > now THEN Answer("renewed", m.id, m.sent, 0) ELSE {}
     IN Becomes(m, IF has THEN Written(found, Extend(found, m.id)) ELSE db, answer, FALSE)
  /\ UNCHANGED obliged

\* The release script of an older client, under the name of the present owner.
Force ==
  /\ forces < Forces /\ db.o # Nobody
  /\ forces' = forces + 1
  /\ db' = IF db.line = <<>> THEN NoKey(db.f)
           ELSE [db EXCEPT !.o = Head(db.line), !.exp = now + Claim, !.line = Tail(@), !.f = Token(db)]
  /\ void' = (void \cup Has(db)) \ {db'.o}
  /\ net' = {m \in net : ~(IsAnswer(m) /\ m.id \in Has(db))}
  /\ UNCHANGED <<now, replays, cl, obliged, wrong>>

-----------------------------------------------------------------------------
\* Without the feature "late", a request is executed in the step after its sending.
Rushes == "late" \notin Features /\ \E m \in net : ~IsAnswer(m)

Execute(m) == ExecuteAcquire(m) \/ ExecuteRelease(m) \/ ExecuteRenew(m)

Others ==
  \/ Tick \/ Force
  \/ \E c \in Clients :
       Acquire(c) \/ AcquireAgain(c) \/ Renew(c) \/ Release(c) \/ ReleaseForNext(c) \/ Leave(c)
  \/ \E id \in obliged : Repeat(id)
  \/ \E m \in net : Granted(m) \/ Renewed(m)

Next ==
  \/ \E m \in net : Execute(m)
  \/ ~Rushes /\ Others

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Writers) \cup Permutations(Readers) \cup Permutations(Light) \cup Permutations(Heavy)

-----------------------------------------------------------------------------
(* What must hold. *)

\* Promise 1: a writer believes alone, and permits are believed within their limit.
AtMostTheLimit ==
  /\ \A c \in Writers : Believes(c) => \A d \in Clients \ {c} : ~Believes(d)
  /\ Sum({Id(c) : c \in {c \in Clients : Believes(c)}}) <= Limit

\* Promise 2: who believes has a grant in the store, which does not end before.
BeliefEndsFirst ==
  \A c \in Clients : Believes(c) =>
    /\ Id(c) \in Has(db) /\ cl[c].until <= db.exp
    /\ IsShared(db) => cl[c].until <= db.h[Id(c)].dl

HoldersFit == IsShared(db) =>
  /\ Sum(Live(db)) <= Limit
  /\ \A id \in DOMAIN db.h : ~IsWriter(id) /\ MarkerOf(id) = db.o

KeyEndsLast == IsShared(db) => db.exp = Latest(db)

NobodyPassesTheHead == "passed" \notin wrong
WhoFitsIsGranted == "left" \notin wrong
VoidStaysVoid == IsShared(db) => void \cap Live(db) = {}

NobodyForgotten ==
  \A c \in Clients : \A n \in 1..Ids :
    (<<c, n>> \in Has(db) \/ Stands(db, <<c, n>>)) /\ IsOver(<<c, n>>) => <<c, n>> \in obliged

\* Each stands in the line once, and not beside having the lock; deadlines belong to entries, and a line to a lock.
LineIsSane ==
  /\ \A i, j \in DOMAIN db.line : db.line[i] = db.line[j] => i = j
  /\ \A id \in Has(db) : ~Stands(db, id)
  /\ IsShared(db) => \A id \in DOMAIN db.w : Stands(db, id)
  /\ db.o = Nobody => db.line = <<>>

\* Promise 5: a writer's token exceeds all before, a reader's all of writers before.
TokensGrow ==
  \A c \in Clients : Believes(c) => \A d \in Clients \ {c} :
    IF c \in Writers THEN cl[d].tok < cl[c].tok ELSE d \in Writers => cl[d].tok < cl[c].tok
=============================================================================
