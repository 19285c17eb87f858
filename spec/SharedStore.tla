---------------------------- MODULE SharedStore ----------------------------
(***************************************************************************)
(* The scripts for a lock in shared use: the pure part of Shared, which    *)
(* says how they are called, and what must hold.                           *)
(*                                                                         *)
(* A script removes what has expired, does its own step, grants the lock   *)
(* along the line as far as it fits, and writes. Each operator takes the   *)
(* key before a step and returns the key after it.                         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Writers, Readers,  \* JVMs that request exclusive grants, and shared ones
  Light, Heavy,      \* JVMs that request one permit, and two
  Limit,             \* permits of the semaphore
  Lease,             \* ticks
  Claim,             \* ticks in which a grant from the line must be claimed
  Wait,              \* ticks after its last poll at which an entry of the line expires
  Features,          \* what is modelled besides: see Shared
  Dropped            \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,
  db,                \* the key: see NoKey
  cl                 \* the clients; the scripts use nothing of them: the server's clock is ahead of their tokens

NoId == <<>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b
Empty == [id \in {} |-> 0]
Only(map, ids) == [id \in DOMAIN map \cap ids |-> map[id]]
Rest(map, id) == Only(map, DOMAIN map \ {id})

\* Fields o, f and q, the holders h: with deadline and token, the deadlines w: of entries, and when the key expires. With
\* the key, f is gone; that it stays here is the clock, from which tokens come.
NoKey(f) == [o |-> NoId, exp |-> 0, line |-> <<>>, h |-> Empty, w |-> Empty, f |-> f]

\* The id of the reader that a writer becomes, see Downgrade; here no writer does.
ReaderOf(id) == Append(id, "r")
IsWriter(id) == Len(id) = 2 /\ id[1] \in Writers
Weight(id) == IF id[1] \in Heavy THEN 2 ELSE IF id[1] \in Light THEN 1 ELSE 0
MarkerOf(id) == IF Weight(id) = 0 THEN <<"readers">> ELSE <<"permits">>
IsShared(k) == Len(k.o) = 1
IsExclusive(k) == Len(k.o) > 1

RECURSIVE Sum(_)
Sum(ids) == IF ids = {} THEN 0 ELSE LET id == CHOOSE id \in ids : TRUE IN Weight(id) + Sum(ids \ {id})

Live(k) == {id \in DOMAIN k.h : k.h[id].dl > now}
\* The ids to which the lock is granted.
Owners(k) == IF IsShared(k) THEN Live(k) ELSE IF IsExclusive(k) THEN {k.o} ELSE {}
Stands(k, id) == \E i \in DOMAIN k.line : k.line[i] = id
Without(line, ids) == SelectSeq(line, LAMBDA id : id \notin ids)

-----------------------------------------------------------------------------
(* The common part of the scripts: lock.lua. *)

IsDead(k, id) == id \in DOMAIN k.w /\ k.w[id] <= now

\* The key without the holders and the entries that have expired, except the entry of the caller, which polls at this moment.
Purged(k, caller) ==
  LET gone == {id \in DOMAIN k.w : IsDead(k, id) /\ id # caller /\ Keeps("entries end")}
  IN [k EXCEPT !.h = IF Keeps("each holder has a deadline") THEN Only(@, Live(k)) ELSE @,
               !.w = Only(@, DOMAIN @ \ gone), !.line = Without(@, gone)]
First(k, caller) == IF Keeps("purge comes first") THEN Purged(k, caller) ELSE k

IsHolder(k, id) == id \in DOMAIN k.h
IsOwner(k, id) == k.o = id \/ IsHolder(k, id)

Used(k) == IF Keeps("weights are added") THEN Sum(DOMAIN k.h) ELSE Cardinality(DOMAIN k.h)
Fits(k, id) ==
  /\ ~IsExclusive(k)
  /\ DOMAIN k.h = {} \/ (~IsWriter(id) /\ k.o = MarkerOf(id))
  /\ Weight(id) = 0 \/ Weight(id) + Used(k) <= Limit

Token(k) ==
  IF "tokens" \in Features
  THEN 1 + (CHOOSE t \in {cl[c].tok : c \in DOMAIN cl} \cup {k.f} :
              t >= k.f /\ \A c \in DOMAIN cl : cl[c].tok <= t)
  ELSE 0
Holder(deadline, token) == [dl |-> deadline, tok |-> token]
TokenOf(k, id) == IF IsHolder(k, id) THEN k.h[id].tok ELSE k.f

\* An exclusive grant is the only one.
Give(k, id, deadline) ==
  IF IsWriter(id)
  THEN [k EXCEPT !.o = id, !.exp = deadline, !.f = Token(k), !.line = Without(@, {id}), !.h = Empty, !.w = Rest(@, id)]
  ELSE [k EXCEPT !.o = MarkerOf(id), !.exp = deadline, !.f = Token(k), !.line = Without(@, {id}),
                 !.h = (id :> Holder(deadline, Token(k))) @@ @, !.w = Rest(@, id)]

\* Entries whose inbox has no receiver are skipped: they leave the line.
RECURSIVE Loop(_, _)
Loop(k, skipped) ==
  IF k.line = <<>> \/ ~Fits(k, Head(k.line)) THEN k
  ELSE IF Head(k.line) \in skipped THEN Loop([k EXCEPT !.line = Tail(@), !.w = Rest(@, Head(k.line))], skipped)
  ELSE Loop(Give(k, Head(k.line), now + Claim), skipped)

\* The full lease, and never less than before.
Extend(k, id) ==
  IF k.o = id THEN [k EXCEPT !.exp = Max(@, now + Lease)]
  ELSE IF IsHolder(k, id) THEN [k EXCEPT !.h[id].dl = Max(@, now + Lease), !.exp = now + Lease]
  ELSE k

Join(k, id) ==
  [k EXCEPT !.line = IF Stands(k, id) THEN @ ELSE Append(@, id), !.w = (id :> now + Wait) @@ @]

\* The writes: the key expires with the last of its holders.
Latest(k) == CHOOSE t \in {k.h[id].dl : id \in DOMAIN k.h} : \A id \in DOMAIN k.h : k.h[id].dl <= t
Written(key) ==
  LET k == IF Keeps("purge comes first") THEN key ELSE Purged(key, NoId)
  IN IF IsExclusive(k) THEN k
     ELSE IF DOMAIN k.h = {} THEN NoKey(k.f)
     ELSE IF Keeps("the key ends last") THEN [k EXCEPT !.exp = Latest(k)]
     ELSE k

\* acquire.lua
Acquired(k, id) ==
  IF IsHolder(k, id) THEN Loop(IF Keeps("full lease again") THEN Extend(k, id) ELSE k, {})
  ELSE IF k.o = id THEN Extend(k, id)
  ELSE IF IsExclusive(k) THEN Join(k, id)
  ELSE LET looped ==
             IF Keeps("an acquire runs the loop") \/ (k.line # <<>> /\ Head(k.line) = id) THEN Loop(k, {}) ELSE k
       IN IF IsOwner(looped, id) THEN Extend(looped, id)
          ELSE IF Fits(looped, id) /\ (looped.line = <<>> \/ ~Keeps("joins behind the line"))
          THEN Give(looped, id, now + Lease)
          ELSE Join(looped, id)

\* release.lua. The successor joins at the end of the line, unless its own acquire was executed before: then it holds, or
\* stands in the line already.
Released(k, id, next, skipped) ==
  LET joined(l) ==
        IF next = NoId \/ (IsOwner(l, next) /\ Keeps("a holder does not join")) THEN l ELSE Join(l, next)
      freed == IF k.o = id THEN [k EXCEPT !.o = NoId] ELSE [k EXCEPT !.h = Rest(@, id)]
      left == IF next # NoId /\ Stands(k, next) THEN k
              ELSE [k EXCEPT !.line = Without(@, {id}), !.w = Rest(@, id)]
  IN IF IsOwner(k, id) THEN Extend(Loop(joined(freed), skipped), next)
     ELSE IF next # NoId /\ IsOwner(k, next) THEN Loop(Extend(k, next), skipped)
     ELSE IF IsShared(k) /\ Keeps("a leave runs the loop") THEN Loop(left, skipped) ELSE left
=============================================================================
