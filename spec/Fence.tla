------------------------------- MODULE Fence -------------------------------
(***************************************************************************)
(* Transactions that fence themselves: the token of a lock is raised in    *)
(* one row of the database, and each transaction of the owner locks this   *)
(* row until it ends.                                                      *)
(*                                                                         *)
(* Nothing is left of the lock but its grants: every owner may act at any  *)
(* time after its grant, however long it was paused and whoever was        *)
(* granted the lock since. An owner reads what it is about to change in    *)
(* its transaction, or before. A statement is executed when it is sent. An *)
(* owner that dies takes no more steps, and the database ends its          *)
(* sessions.                                                               *)
(*                                                                         *)
(* An owner has up to two transactions at a time, each in a session of its *)
(* own: an outer one, and a new one inside of it, during which the outer   *)
(* one is suspended. The database may end a session at any time. Its       *)
(* transaction is then rolled back, and the owner finds out at its next    *)
(* statement. The database, or a statement of the owner, may also end the  *)
(* transaction alone: committed, as by DDL, or rolled back, as after a     *)
(* deadlock. The session then goes on in a transaction that has locked     *)
(* nothing, and so it does for rows that were locked after a savepoint to  *)
(* which it returns.                                                       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Owners,    \* 1..n, in the order of their grants
  Retention, \* in ticks: a token that is older needs a row
  Skew,      \* the clock of the store, from which tokens come, differs from that of the database by that at most
  End,       \* the last tick
  Faults,    \* how often the database may end a session or a transaction
  Inside,    \* whether a lock may be granted in a running transaction
  Nested,    \* whether owners begin new transactions inside of others
  Dropped    \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,       \* by the clock of the database
  row,       \* the token, and when it was raised; a token of 0: there is no row
  before,    \* the row before the raise that is not committed yet
  sharing,   \* the sessions that have locked the row, and have not changed it
  raiser,    \* the session that has raised the token, and is not committed yet; None
  step,      \* of each owner
  token,     \* of each owner; 0: it has none
  tx,        \* of each session: "no", "open", or "gone" if its session was ended
  seen,      \* of each owner: "none", or whether the protected data is as it has read it, or has written it last: "fresh", "stale"
  last,      \* the last owner that has committed
  lost,      \* whether an update was lost
  raisedAt,  \* when each owner has raised its token last; 0: never
  late,      \* whether an owner has committed after a later one
  wronged,   \* whether the last owner was refused, although it was granted or has raised its token within the retention
  faults     \* that have happened

vars == <<now, row, before, sharing, raiser, step, token, tx, seen, raisedAt, last, lost, late, wronged, faults>>

Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b

Outer(o) == <<o, "outer">>
Inner(o) == <<o, "inner">>
Sessions == Owners \X {"outer", "inner"}
None == <<0, "none">>
Absent == [token |-> 0, at |-> 0]

Init ==
  /\ now = 1 /\ row = Absent /\ before = row /\ sharing = {} /\ raiser = None
  /\ step = [o \in Owners |-> "none"] /\ token = [o \in Owners |-> 0] /\ seen = [o \in Owners |-> "none"]
  /\ tx = [s \in Sessions |-> "no"]
  /\ raisedAt = [o \in Owners |-> 0] /\ last = 0 /\ lost = FALSE /\ late = FALSE /\ wronged = FALSE /\ faults = 0

Granted == {o \in Owners : token[o] > 0}
IsLast(o) == \A other \in Granted : other <= o

-----------------------------------------------------------------------------
(* The row. A statement waits while another transaction has locked the row. *)

Accepts(o) ==
  IF row.token > 0
  THEN /\ token[o] >= row.token \/ ~Keeps("a smaller token is refused")
       /\ Keeps("the age counts only without a row") \/ token[o] >= now - Retention
  ELSE token[o] >= now - Retention \/ ~Keeps("an old token needs a row")

MayLock(s) == raiser \in {None, s}
MayRaise(s) == (MayLock(s) /\ sharing \subseteq {s}) \/ ~Keeps("the row is locked until the end")

Holds(s) == s \in sharing \/ raiser = s

Wrongs(o) == IsLast(o) /\ (token[o] >= now - Retention \/ raisedAt[o] >= now - Retention)

Written(o) == [token |-> Max(token[o], row.token), at |-> now]

\* In the transaction of the session: the row is locked if it has the token, and otherwise the token is raised.
LockOrRaise(s) ==
  LET o == s[1] IN
  IF row.token = token[o]
  THEN /\ MayLock(s)
       /\ sharing' = IF raiser = s THEN sharing ELSE sharing \union {s}
       /\ UNCHANGED <<row, before, raiser>>
  ELSE /\ MayRaise(s)
       /\ row' = Written(o)
       /\ before' = IF raiser = s THEN before ELSE row
       /\ raiser' = s
       /\ sharing' = sharing \ {s}

\* Whether the statement has an answer, and accepts. An inner transaction relies on a raise that is committed: a raise of the outer
\* one that is rolled back has let a former owner in, and what was read since is not protected.
MayRaiseIn(s) == s[2] = "outer" \/ ~Keeps("an inner transaction does not raise")
Answers(s) == IF row.token = token[s[1]] \/ ~MayRaiseIn(s) THEN MayLock(s) ELSE MayRaise(s)
AcceptsIn(s) == row.token = token[s[1]] \/ (MayRaiseIn(s) /\ Accepts(s[1]))

\* The locks of a transaction that ends; its raise stays, or goes with it.
Unlocked(s, committed) ==
  /\ sharing' = sharing \ {s}
  /\ raiser' = IF raiser = s THEN None ELSE raiser
  /\ row' = IF raiser = s /\ ~committed THEN before ELSE row
  /\ raisedAt' = IF raiser = s /\ committed THEN [raisedAt EXCEPT ![s[1]] = row.at] ELSE raisedAt
  /\ UNCHANGED before

-----------------------------------------------------------------------------
(* Owners. *)

\* Outside of a transaction, or in one that runs.
Grant(o) ==
  /\ step[o] = "none" /\ \A other \in Owners : other < o => token[other] > 0
  /\ \E skew \in -Skew..Skew :
       token' = [token EXCEPT ![o] = Max(now + skew, IF o = 1 THEN 1 ELSE token[o - 1] + 1)]
  /\ \/ /\ step' = [step EXCEPT ![o] = IF Keeps("raised before the first read") THEN "granted" ELSE "ready"]
        /\ UNCHANGED tx
     \/ /\ Inside
        /\ step' = [step EXCEPT ![o] = "inside"]
        /\ tx' = [tx EXCEPT ![Outer(o)] = "open"]
  /\ UNCHANGED <<now, row, before, sharing, raiser, seen, raisedAt, last, lost, late, wronged, faults>>

Refused(s) ==
  /\ step' = [step EXCEPT ![s[1]] = "over"]
  \* The raise that an inner transaction relies on may have gone with the session of the outer one.
  /\ wronged' = (wronged \/ (s[2] = "outer" /\ Wrongs(s[1])))

\* In a transaction of its own, which ends at once: at the grant, and from time to time.
RaiseAlone(o) ==
  /\ step[o] = "granted" \/ (step[o] = "ready" /\ row.at <= now - Retention \div 2)
  /\ tx[Outer(o)] = "no" /\ MayRaise(None)
  /\ IF Accepts(o)
     THEN /\ row' = Written(o)
          /\ raisedAt' = [raisedAt EXCEPT ![o] = now]
          /\ step' = [step EXCEPT ![o] = "ready"]
          /\ UNCHANGED wronged
     ELSE Refused(Outer(o)) /\ UNCHANGED <<row, raisedAt>>
  /\ UNCHANGED <<now, before, sharing, raiser, token, tx, seen, last, lost, late, faults>>

\* Outside of a transaction, or in one that ends.
ReadBefore(o) ==
  /\ step[o] = "ready" /\ seen[o] = "none" /\ tx[Outer(o)] = "no"
  /\ seen' = [seen EXCEPT ![o] = "fresh"]
  /\ UNCHANGED <<now, row, before, sharing, raiser, step, token, tx, raisedAt, last, lost, late, wronged, faults>>

\* The first statement of a transaction, or the grant in one that runs.
Enter(s) ==
  LET o == s[1] IN
  /\ IF Keeps("each transaction locks the row")
     THEN /\ Answers(s)
          /\ IF AcceptsIn(s)
             THEN /\ LockOrRaise(s)
                  /\ tx' = [tx EXCEPT ![s] = "open"]
                  /\ step' = [step EXCEPT ![o] = "ready"]
                  /\ UNCHANGED wronged
             ELSE /\ Refused(s)
                  /\ tx' = [tx EXCEPT ![s] = "no"]
                  /\ UNCHANGED <<row, before, sharing, raiser>>
     ELSE /\ tx' = [tx EXCEPT ![s] = "open"]
          /\ step' = [step EXCEPT ![o] = "ready"]
          /\ UNCHANGED <<row, before, sharing, raiser, wronged>>
  /\ UNCHANGED <<now, token, seen, raisedAt, last, lost, late, faults>>

Begin(o) == step[o] = "ready" /\ tx[Outer(o)] = "no" /\ Enter(Outer(o))

RaiseInside(o) == step[o] = "inside" /\ tx[Outer(o)] = "open" /\ Enter(Outer(o))

\* A new transaction inside of one that is suspended, or of which the owner does not know that its session was ended. It would wait
\* for itself if the outer one has raised the token.
BeginInner(o) ==
  /\ Nested /\ step[o] = "ready" /\ tx[Outer(o)] # "no" /\ tx[Inner(o)] = "no"
  /\ IF Keeps("an inner transaction locks the row itself") /\ (raiser # Outer(o) \/ Keeps("none inside of a raise"))
     THEN raiser # Outer(o) /\ Enter(Inner(o))
     ELSE /\ tx' = [tx EXCEPT ![Inner(o)] = "open"]
          /\ UNCHANGED <<now, row, before, sharing, raiser, step, token, seen, raisedAt, last, lost, late, wronged, faults>>

\* Only the innermost transaction of the thread executes statements.
IsCurrent(s) == tx[s] # "no" /\ (s[2] = "inner" \/ tx[Inner(s[1])] = "no") /\ step[s[1]] = "ready"

Read(s) ==
  /\ IsCurrent(s) /\ tx[s] = "open" /\ seen[s[1]] = "none"
  /\ seen' = [seen EXCEPT ![s[1]] = "fresh"]
  /\ UNCHANGED <<now, row, before, sharing, raiser, step, token, tx, raisedAt, last, lost, late, wronged, faults>>

Closed(s) == tx' = [tx EXCEPT ![s] = "no"]

\* The data is changed.
Counted(o) ==
  /\ seen' = [other \in Owners |-> IF other = o THEN "fresh" ELSE IF seen[other] = "fresh" THEN "stale" ELSE seen[other]]
  /\ lost' = (lost \/ seen[o] = "stale")
  /\ late' = (late \/ o < last)
  /\ last' = Max(last, o)

\* Before a commit, the row is locked again in a transaction that has not locked it any more. It must have the token still: a raise that
\* was rolled back has let a former owner in, and what was read since is not protected.
IsLost(s) ==
  /\ ~Holds(s) /\ Keeps("locked again before the commit") /\ Keeps("each transaction locks the row")
  /\ Keeps("an inner transaction locks the row itself") /\ Keeps("none inside of a raise")

MayCommit(s) ==
  /\ IsCurrent(s) /\ tx[s] = "open"
  /\ IsLost(s) =>
       /\ MayLock(s)
       /\ row.token = token[s[1]] \/ (~Keeps("a raise that was rolled back is not repeated") /\ MayRaise(s) /\ Accepts(s[1]))

Committed(s) ==
  IF IsLost(s) /\ row.token # token[s[1]]
  THEN row' = Written(s[1]) /\ UNCHANGED <<before, sharing, raiser, raisedAt>>
  ELSE Unlocked(s, TRUE)

\* With its write.
Commit(s) ==
  /\ MayCommit(s) /\ seen[s[1]] # "none"
  /\ Counted(s[1])
  /\ Closed(s)
  /\ step' = [step EXCEPT ![s[1]] = IF s[2] = "outer" THEN "over" ELSE @]
  /\ Committed(s)
  /\ UNCHANGED <<now, token, wronged, faults>>

\* Without a write.
CommitRead(s) ==
  /\ MayCommit(s)
  /\ Closed(s)
  /\ Committed(s)
  /\ UNCHANGED <<now, step, token, seen, last, lost, late, wronged, faults>>

\* Also if the session is gone. If the raise goes with it, no transaction follows under this grant.
Rollback(s) ==
  /\ IsCurrent(s)
  /\ Closed(s)
  /\ step' = [step EXCEPT ![s[1]] = IF raisedAt[s[1]] = 0 /\ Keeps("a raise that was rolled back is not repeated") THEN "over" ELSE @]
  /\ IF tx[s] = "open" THEN Unlocked(s, FALSE) ELSE UNCHANGED <<row, before, sharing, raiser, raisedAt>>
  /\ UNCHANGED <<now, token, seen, last, lost, late, wronged, faults>>

-----------------------------------------------------------------------------
(* The database. *)

EndSession(s) ==
  /\ faults < Faults /\ tx[s] = "open"
  /\ faults' = faults + 1
  /\ tx' = [tx EXCEPT ![s] = "gone"]
  /\ Unlocked(s, FALSE)
  /\ UNCHANGED <<now, step, token, seen, last, lost, late, wronged>>

\* With what the owner has written so far, if it has read.
EndTransaction(s, committed) ==
  /\ faults < Faults /\ IsCurrent(s) /\ tx[s] = "open" /\ Holds(s)
  /\ faults' = faults + 1
  /\ IF committed /\ seen[s[1]] # "none" THEN Counted(s[1]) ELSE UNCHANGED <<seen, lost, late, last>>
  /\ Unlocked(s, committed)
  /\ UNCHANGED <<now, step, token, tx, wronged>>

Kept == IF Keeps("a row is kept for twice the retention") THEN 2 * Retention ELSE Retention

CleanUp ==
  /\ row.token > 0 /\ sharing = {} /\ raiser = None
  /\ (IF Keeps("a row's age counts from its last raise") THEN row.at ELSE row.token) < now - Kept
  /\ row' = Absent
  /\ UNCHANGED <<now, before, sharing, raiser, step, token, tx, seen, raisedAt, last, lost, late, wronged, faults>>

Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ UNCHANGED <<row, before, sharing, raiser, step, token, tx, seen, raisedAt, last, lost, late, wronged, faults>>

Next ==
  \/ \E o \in Owners : Grant(o) \/ RaiseAlone(o) \/ ReadBefore(o) \/ Begin(o) \/ RaiseInside(o) \/ BeginInner(o)
  \/ \E s \in Sessions :
       \/ Read(s) \/ Commit(s) \/ CommitRead(s) \/ Rollback(s)
       \/ EndSession(s) \/ EndTransaction(s, TRUE) \/ EndTransaction(s, FALSE)
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
