---------------------------- MODULE MinimumHold ----------------------------
(***************************************************************************)
(* A lock that is released before its minimum hold is over: keep.lua lets  *)
(* it expire at that time, under an owner that no command of the grant     *)
(* matches any more, except a repetition of the keep.                      *)
(*                                                                         *)
(* Everything else is WaitingLine, with the renewals of the grant added.   *)
(* What a renewal means to the belief of its client is left to LeaseLock.  *)
(***************************************************************************)
EXTENDS WaitingLine

CONSTANT
  Hold       \* ticks that a lock is kept

VARIABLE
  kept       \* for each id, until when its lock is kept; 0: it is not, or not any more

AllIds == Clients \X (1..Ids)

InitKept == Init /\ kept = [id \in AllIds |-> 0]

-----------------------------------------------------------------------------
(* Clients. *)

\* The watchdog.
Renew(c) ==
  /\ Believes(c)
  /\ net' = net \cup {[k |-> "ren", id |-> Id(c)]}
  /\ UNCHANGED <<now, owner, exp, line, replays, cl, obliged, kept>>

\* The release of a lock whose minimum hold is not over.
Keep(c) ==
  /\ Is(c, "held")
  /\ cl' = [cl EXCEPT ![c] = Client("idle", cl[c].n, 0)]
  /\ net' = AfterEndOf(Id(c)) \cup {[k |-> "keep", id |-> Id(c)]}
  /\ UNCHANGED <<now, owner, exp, line, replays, obliged, kept>>

-----------------------------------------------------------------------------
(* The store. *)

\* renew.lua
ExecuteRenew(m) ==
  /\ m.k = "ren"
  /\ exp' = IF owner = m.id THEN Max(exp, now + Lease) ELSE exp
  /\ Executed(m, {})
  /\ UNCHANGED <<now, owner, line, cl, obliged, kept>>

\* acquire.lua, for the id whose lock is kept
ExecuteLateAcquire(m) ==
  /\ m.k = "acq" /\ owner = Kept(m.id)
  /\ line' = IF Keeps("a kept id does not wait") THEN line ELSE Append(line, m.id)
  /\ Executed(m, {})
  /\ UNCHANGED <<now, owner, exp, cl, obliged, kept>>

\* keep.lua. Releases follow its answer: an acquire may be executed after the lock has expired.
ExecuteKeep(m) ==
  /\ m.k = "keep"
  /\ \/ /\ owner = m.id
        /\ owner' = IF Keeps("an owner of its own") THEN Kept(m.id) ELSE owner
        /\ exp' = now + Hold
        /\ kept' = [kept EXCEPT ![m.id] = IF @ = 0 THEN now + Hold ELSE @]
     \/ /\ owner = Kept(m.id)
        /\ exp' = IF Keeps("a repetition adds nothing") /\ exp < now + Hold THEN exp ELSE now + Hold
        /\ UNCHANGED <<owner, kept>>
     \/ /\ owner \notin {m.id, Kept(m.id)}
        /\ UNCHANGED <<owner, exp, kept>>
  /\ Executed(m, {})
  /\ obliged' = IF Keeps("a late acquire is taken back") THEN obliged \cup {m.id} ELSE obliged
  /\ UNCHANGED <<now, line, cl>>

-----------------------------------------------------------------------------
NextKept ==
  \/ /\ Next
     /\ kept' = [id \in AllIds |-> IF kept[id] <= now' THEN 0 ELSE kept[id]]
  \/ \E c \in Clients : Renew(c) \/ Keep(c)
  \/ \E m \in net : ExecuteRenew(m) \/ ExecuteLateAcquire(m) \/ ExecuteKeep(m)

SpecKept == InitKept /\ [][NextKept]_<<vars, kept>>

-----------------------------------------------------------------------------
(* What must hold, besides the invariants of WaitingLine. *)

\* A lock that is kept belongs to no other id before the time is over, and no command that comes late changes that time.
KeptAsLong == \A id \in AllIds : now < kept[id] => owner \in {id, Kept(id)} /\ exp = kept[id]

\* As NoIdIsForgotten. A keep that is under way ends the lock as well, at the latest when its lease is over.
NoIdIsForgottenUnlessKept ==
  \A id \in AllIds :
    (owner = id \/ Stands(id)) /\ IsOver(id) => id \in obliged \/ \E m \in net : m.k = "keep" /\ m.id = id

\* An acquire that comes late does not wait behind the lock that its own grant keeps.
KeptDoesNotWait == \A id \in AllIds : owner = Kept(id) => ~Stands(id)
=============================================================================
