---------------------------- MODULE SharedStore ----------------------------
(***************************************************************************)
(* What the scripts of Redis make of a lock in shared use: the pure part of *)
(* Shared, which says how they are called, and what must hold.              *)
(*                                                                          *)
(* A script purges, does its own step, grants the head of the line as long  *)
(* as it fits, and writes. Each operator takes the key as it is and gives   *)
(* the key as it becomes.                                                   *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Writers, Readers,  \* JVMs that ask for exclusive grants, and for shared ones
  Light, Heavy,      \* JVMs that ask for one permit, and for two
  Limit,             \* permits of the semaphore
  Lease,             \* ticks
  Claim,             \* ticks in which a grant from the line must be claimed
  Wait,              \* ticks after its last poll in which an entry of the line ends
  Features,          \* what is modelled besides: see Shared
  Dropped            \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,
  db,                \* the key: see NoKey
  cl                 \* the clients; the scripts know nothing of them but that the clock is ahead of their tokens

Nobody == <<>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b
Empty == [id \in {} |-> 0]
Only(map, ids) == [id \in DOMAIN map \cap ids |-> map[id]]
Rest(map, id) == Only(map, DOMAIN map \ {id})

\* Fields o, f and q, the holders h: with deadline and token, the deadlines w: of entries, and when the key runs out. With
\* the key, f is gone; that it stays here is the clock, from which tokens come.
NoKey(f) == [o |-> Nobody, exp |-> 0, line |-> <<>>, h |-> Empty, w |-> Empty, f |-> f]

\* The id of the reader that a writer becomes, see Downgrade; here nobody does.
ReaderOf(id) == Append(id, "r")
IsWriter(id) == Len(id) = 2 /\ id[1] \in Writers
Weight(id) == IF id[1] \in Heavy THEN 2 ELSE IF id[1] \in Light THEN 1 ELSE 0
MarkerOf(id) == IF Weight(id) = 0 THEN <<"readers">> ELSE <<"permits">>
IsShared(k) == Len(k.o) = 1
IsOwned(k) == Len(k.o) > 1

RECURSIVE Sum(_)
Sum(ids) == IF ids = {} THEN 0 ELSE LET id == CHOOSE id \in ids : TRUE IN Weight(id) + Sum(ids \ {id})

Live(k) == {id \in DOMAIN k.h : k.h[id].dl > now}
\* To whom the lock is granted.
Has(k) == IF IsShared(k) THEN Live(k) ELSE IF IsOwned(k) THEN {k.o} ELSE {}
Stands(k, id) == \E i \in DOMAIN k.line : k.line[i] = id
Without(line, ids) == SelectSeq(line, LAMBDA id : id \notin ids)

-----------------------------------------------------------------------------
(* What the scripts share: lock.lua. *)

\* Holders and entries whose time is over. Without the marker, these fields say nothing.
Purged(k) ==
  IF ~IsShared(k) THEN k
  ELSE LET gone == {id \in DOMAIN k.w : k.w[id] <= now /\ Keeps("entries end")}
       IN [k EXCEPT !.h = IF Keeps("each holder has a deadline") THEN Only(@, Live(k)) ELSE @,
                    !.w = Only(@, DOMAIN @ \ gone), !.line = Without(@, gone)]
First(k) == IF Keeps("purge comes first") THEN Purged(k) ELSE k

IsHolder(k, id) == id \in DOMAIN k.h /\ (IsShared(k) \/ ~Keeps("the marker comes first"))
IsHis(k, id) == k.o = id \/ IsHolder(k, id)

Taken(k) == IF Keeps("weights are added") THEN Sum(DOMAIN k.h) ELSE Cardinality(DOMAIN k.h)
Fits(k, id) ==
  /\ ~IsOwned(k)
  /\ DOMAIN k.h = {} \/ (~IsWriter(id) /\ k.o = MarkerOf(id))
  /\ Weight(id) = 0 \/ Weight(id) + Taken(k) <= Limit

Token(k) ==
  IF "tokens" \in Features
  THEN 1 + (CHOOSE t \in {cl[c].tok : c \in DOMAIN cl} \cup {k.f} :
              t >= k.f /\ \A c \in DOMAIN cl : cl[c].tok <= t)
  ELSE 0
Holder(deadline, token) == [dl |-> deadline, tok |-> token]
TokenOf(k, id) == IF IsHolder(k, id) THEN k.h[id].tok ELSE k.f

\* An exclusive grant is the only one; the entries of others have no deadlines while it lasts.
Give(k, id, deadline) ==
  IF IsWriter(id)
  THEN [k EXCEPT !.o = id, !.exp = deadline, !.f = Token(k), !.line = Without(@, {id}), !.h = Empty, !.w = Empty]
  ELSE [k EXCEPT !.o = MarkerOf(id), !.exp = deadline, !.f = Token(k), !.line = Without(@, {id}),
                 !.h = (id :> Holder(deadline, Token(k))) @@ @, !.w = Rest(@, id)]

RECURSIVE Loop(_)
Loop(k) == IF k.line # <<>> /\ Fits(k, Head(k.line)) THEN Loop(Give(k, Head(k.line), now + Claim)) ELSE k

\* Who has it has it for a full lease, and never for less than before.
Extend(k, id) ==
  IF k.o = id THEN [k EXCEPT !.exp = Max(@, now + Lease)]
  ELSE IF IsHolder(k, id) THEN [k EXCEPT !.h[id].dl = Max(@, now + Lease), !.exp = now + Lease]
  ELSE k

\* Without an owner. What an older client may have left behind goes.
Opened(k) ==
  [k EXCEPT !.o = Nobody, !.h = IF Keeps("void fields are cleared") THEN Empty ELSE @, !.w = Empty]

\* Entries that stand in the line when shared use begins.
Timed(before, k) ==
  IF IsShared(k) /\ ~IsShared(before)
  THEN [k EXCEPT !.w = [id \in {k.line[i] : i \in DOMAIN k.line} |-> now + Wait]]
  ELSE k

Join(k, id) ==
  LET joined == IF Stands(k, id) THEN k ELSE [k EXCEPT !.line = Append(@, id)]
  IN IF IsShared(k) THEN [joined EXCEPT !.w = (id :> now + Wait) @@ @] ELSE joined

\* The writes: the key ends with the last of its holders.
Latest(k) == CHOOSE t \in {k.h[id].dl : id \in DOMAIN k.h} : \A id \in DOMAIN k.h : k.h[id].dl <= t
Written(before, k) ==
  IF IsOwned(k) THEN k
  ELSE IF DOMAIN k.h = {} THEN NoKey(k.f)
  ELSE IF Keeps("the key ends last") THEN [Timed(before, Purged(k)) EXCEPT !.exp = Latest(k)]
  ELSE Timed(before, Purged(k))

\* acquire.lua
Acquired(k, id) ==
  IF IsHolder(k, id) THEN Loop(IF Keeps("full lease again") THEN Extend(k, id) ELSE k)
  ELSE IF k.o = id /\ IsWriter(id) THEN Extend(k, id)
  \* An older release has granted it exclusively.
  ELSE IF k.o = id THEN Loop([Opened(k) EXCEPT !.o = MarkerOf(id), !.h = (id :> Holder(Max(k.exp, now + Lease), k.f)) @@ @])
  ELSE IF IsOwned(k) THEN Join(k, id)
  ELSE LET looped == IF Keeps("an acquire runs the loop") \/ (k.line # <<>> /\ Head(k.line) = id) THEN Loop(k) ELSE k
       IN IF IsHis(looped, id) THEN Extend(looped, id)
          ELSE IF Fits(looped, id) /\ (looped.line = <<>> \/ ~Keeps("joins behind the line"))
          THEN Give(looped, id, now + Lease)
          ELSE Join(looped, id)

\* release.lua. It takes the next id along, in its place at the end of the line.
Released(k, id, next) ==
  LET taken(l) == IF next = Nobody \/ Stands(l, next) THEN l ELSE [l EXCEPT !.line = Append(@, next)]
      freed == IF k.o = id THEN Opened(k) ELSE [k EXCEPT !.h = Rest(@, id)]
      timed(l) == IF IsShared(l) /\ next # Nobody /\ Stands(l, next) THEN Join(l, next) ELSE l
      left == IF next # Nobody /\ Stands(k, next) THEN k
              ELSE [k EXCEPT !.line = Without(@, {id}), !.w = Rest(@, id)]
  IN IF IsHis(k, id)
     THEN Extend(timed(Loop(taken(freed))), next)
     ELSE IF next # Nobody /\ IsHis(k, next) THEN Loop(Extend(k, next))
     ELSE IF IsShared(k) /\ Keeps("a leave runs the loop") THEN Loop(left) ELSE left
=============================================================================
