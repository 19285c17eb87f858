------------------------------- MODULE Fence -------------------------------
(***************************************************************************)
(* Transactions that fence themselves: each raises the token of its lock   *)
(* in one row of its database, which it locks until it ends.               *)
(*                                                                         *)
(* Nothing is left of the lock but its grants: every owner may act at any  *)
(* time after its grant, however long it was paused and whoever was        *)
(* granted the lock since. An owner reads what it is about to change in    *)
(* its transaction, or before. A statement is executed when it is sent. An *)
(* owner that dies takes no more steps, and its transaction is rolled      *)
(* back.                                                                   *)
(***************************************************************************)
EXTENDS Integers, TLC

CONSTANTS
  Owners,    \* 1..n, in the order of their grants
  Retention, \* in ticks: a token that is older needs a row
  Skew,      \* the clock of the store, from which tokens come, differs from that of the database by that at most
  End,       \* the last tick
  Dropped    \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,       \* by the clock of the database
  row,       \* the token, and when it was raised; a token of 0: there is no row
  before,    \* the row before it was raised last, which a rollback restores
  locked,    \* the owner whose open transaction has locked the row; 0: none
  data,      \* how often the protected data was changed
  step,      \* of each owner
  token,     \* of each owner; 0: it has none
  seen,      \* the data as each owner has read it; -1: it has not
  last,      \* the last owner that has committed
  lost,      \* whether an update was lost
  raisedAt,  \* when each owner has raised its token last; 0: never
  late,      \* whether an owner has committed after a later one
  wronged    \* whether the last owner was refused, although it was granted or has raised its token within the retention

vars == <<now, row, before, locked, data, step, token, seen, raisedAt, last, lost, late, wronged>>

Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b

Init ==
  /\ now = 1 /\ row = [token |-> 0, at |-> 0] /\ before = row /\ locked = 0 /\ data = 0
  /\ step = [o \in Owners |-> "none"] /\ token = [o \in Owners |-> 0] /\ seen = [o \in Owners |-> -1]
  /\ raisedAt = [o \in Owners |-> 0] /\ last = 0 /\ lost = FALSE /\ late = FALSE /\ wronged = FALSE

Granted == {o \in Owners : token[o] > 0}
IsLast(o) == \A other \in Granted : other <= o

-----------------------------------------------------------------------------
(* Owners. *)

Grant(o) ==
  /\ step[o] = "none" /\ \A other \in Owners : other < o => token[other] > 0
  /\ \E skew \in -Skew..Skew :
       token' = [token EXCEPT ![o] = Max(now + skew, IF o = 1 THEN 1 ELSE token[o - 1] + 1)]
  /\ step' = [step EXCEPT ![o] = IF Keeps("raised before the first read") THEN "granted" ELSE "ready"]
  /\ UNCHANGED <<now, row, before, locked, data, seen, raisedAt, last, lost, late, wronged>>

Accepts(o) ==
  IF row.token > 0
  THEN /\ token[o] >= row.token \/ ~Keeps("a smaller token is refused")
       /\ Keeps("the age counts only without a row") \/ token[o] >= now - Retention
  ELSE token[o] >= now - Retention \/ ~Keeps("an old token needs a row")

\* The statement waits while another transaction has locked the row.
MayRaise == locked = 0 \/ ~Keeps("the row is locked until the end")

Raise(o, accepted, lock) ==
  /\ MayRaise
  /\ IF Accepts(o)
     THEN /\ row' = [token |-> Max(token[o], row.token), at |-> now]
          /\ before' = row
          /\ raisedAt' = [raisedAt EXCEPT ![o] = now]
          /\ locked' = lock
          /\ step' = [step EXCEPT ![o] = accepted]
          /\ UNCHANGED wronged
     ELSE /\ step' = [step EXCEPT ![o] = "over"]
          /\ wronged' = (wronged \/ (IsLast(o) /\ (token[o] >= now - Retention \/ raisedAt[o] >= now - Retention)))
          /\ UNCHANGED <<row, before, raisedAt, locked>>

\* A transaction of its own, which ends at once.
RaiseAtGrant(o) ==
  /\ step[o] = "granted"
  /\ Raise(o, "ready", locked)
  /\ UNCHANGED <<now, data, token, seen, last, lost, late>>

\* Outside of a transaction, or in one that ends.
ReadBefore(o) ==
  /\ step[o] = "ready" /\ seen[o] = -1
  /\ seen' = [seen EXCEPT ![o] = data]
  /\ UNCHANGED <<now, row, before, locked, data, step, token, raisedAt, last, lost, late, wronged>>

Begin(o) ==
  /\ step[o] = "ready"
  /\ IF Keeps("each transaction raises the token")
     THEN Raise(o, "open", o)
     ELSE step' = [step EXCEPT ![o] = "open"] /\ UNCHANGED <<row, before, raisedAt, locked, wronged>>
  /\ UNCHANGED <<now, data, token, seen, last, lost, late>>

Read(o) ==
  /\ step[o] = "open" /\ seen[o] = -1
  /\ seen' = [seen EXCEPT ![o] = data]
  /\ UNCHANGED <<now, row, before, locked, data, step, token, raisedAt, last, lost, late, wronged>>

EndOf(o) ==
  /\ step' = [step EXCEPT ![o] = "over"]
  /\ locked' = IF locked = o THEN 0 ELSE locked

\* With its write.
Commit(o) ==
  /\ step[o] = "open" /\ seen[o] >= 0
  /\ data' = data + 1
  /\ lost' = (lost \/ data # seen[o])
  /\ late' = (late \/ o < last)
  /\ last' = Max(last, o)
  /\ EndOf(o)
  /\ UNCHANGED <<now, row, before, token, seen, raisedAt, wronged>>

\* Without a write: the owner goes on to the next transaction.
CommitRead(o) ==
  /\ step[o] = "open"
  /\ step' = [step EXCEPT ![o] = "ready"]
  /\ locked' = IF locked = o THEN 0 ELSE locked
  /\ UNCHANGED <<now, row, before, data, token, seen, raisedAt, last, lost, late, wronged>>

\* The raised token goes with it.
Rollback(o) ==
  /\ step[o] = "open"
  /\ EndOf(o)
  /\ row' = IF locked = o THEN before ELSE row
  /\ UNCHANGED <<now, before, data, token, seen, raisedAt, last, lost, late, wronged>>

-----------------------------------------------------------------------------
(* The database. *)

Kept == IF Keeps("a row is kept for twice the retention") THEN 2 * Retention ELSE Retention

CleanUp ==
  /\ row.token > 0 /\ locked = 0
  /\ (IF Keeps("a row's age counts from its last raise") THEN row.at ELSE row.token) < now - Kept
  /\ row' = [token |-> 0, at |-> 0]
  /\ UNCHANGED <<now, before, locked, data, step, token, seen, raisedAt, last, lost, late, wronged>>

Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ UNCHANGED <<row, before, locked, data, step, token, seen, raisedAt, last, lost, late, wronged>>

Next ==
  \/ \E o \in Owners :
       Grant(o) \/ RaiseAtGrant(o) \/ ReadBefore(o) \/ Begin(o) \/ Read(o) \/ Commit(o) \/ CommitRead(o) \/ Rollback(o)
  \/ CleanUp \/ Tick

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold. *)

\* What an owner changes is as it has read it.
NoUpdateIsLost == ~lost

\* No owner commits after a later one.
NoLateCommit == ~late

\* The last owner is refused only for its age, and not while it raises its token from time to time.
LastOwnerIsAccepted == ~wronged
=============================================================================
