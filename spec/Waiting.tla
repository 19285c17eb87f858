------------------------------ MODULE Waiting ------------------------------
(***************************************************************************)
(* Each waiter is served, although messages get lost, owners crash, claims *)
(* are missed, and ids that were given up stay in the line.                *)
(*                                                                         *)
(* There is no clock here. A script is executed when it is sent, and a key *)
(* may expire unless its owner is alive, which is what renewing it means.  *)
(* Only the fairness below says what happens sooner or later; that         *)
(* messages arrive is not part of it. Clients come back as often as they   *)
(* like.                                                                   *)
(*                                                                         *)
(* Pauses counts claims that are missed by a client that is alive: a       *)
(* client that missed every claim would be promised nothing.               *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Clients,  \* JVMs
  Crashes,  \* clients that die, at most
  Pauses,   \* claims missed by clients that live, at most
  Cuts,     \* waiters that give up while their JVM is cut off from the store, at most
  Dropped   \* a rule of the design that is left out; "none" is the design

VARIABLES
  owner,    \* the id that owns the key; NoId: there is none
  line,     \* the ids that stand in line
  inbox,    \* ids that a message about a grant is under way to
  st,       \* what each client does: "out", "waiting", "holding", "gone"
  crashes,
  pauses,
  cuts

vars == <<owner, line, inbox, st, crashes, pauses, cuts>>
counts == <<crashes, pauses, cuts>>

NoId == <<>>
Keeps(rule) == Dropped # rule
\* The id under which a client waits or holds, and the one that it gave up while it was cut off.
Id(c) == <<c, "open">>
Abandoned(c) == <<c, "abandoned">>
Stands(id) == \E i \in DOMAIN line : line[i] = id
Without(id) == SelectSeq(line, LAMBDA other : other # id)

Init ==
  /\ owner = NoId /\ line = <<>> /\ inbox = {}
  /\ st = [c \in Clients |-> "out"]
  /\ crashes = 0 /\ pauses = 0 /\ cuts = 0

\* acquire.lua
AcquireBy(c, join) ==
  \/ /\ owner \in {NoId, Id(c)}
     /\ owner' = Id(c)
     /\ st' = [st EXCEPT ![c] = "holding"]
     /\ UNCHANGED line
  \/ /\ owner \notin {NoId, Id(c)}
     /\ line' = IF Stands(Id(c)) \/ ~join THEN line ELSE Append(line, Id(c))
     /\ st' = [st EXCEPT ![c] = "waiting"]
     /\ UNCHANGED owner

\* release.lua: to the first in line, with a message, or the lock is free.
HandOn(messages) ==
  IF line = <<>>
  THEN owner' = NoId /\ inbox' = messages /\ UNCHANGED line
  ELSE owner' = Head(line) /\ line' = Tail(line) /\ inbox' = messages \cup {Head(line)}

-----------------------------------------------------------------------------
\* The first time.
Ask(c) ==
  /\ st[c] = "out"
  /\ AcquireBy(c, TRUE)
  /\ UNCHANGED <<inbox, counts>>

\* The same again after the poll interval; it also finds the way back into the line.
Poll(c) ==
  /\ Keeps("polling")
  /\ st[c] = "waiting"
  /\ AcquireBy(c, Keeps("polling joins"))
  /\ UNCHANGED <<inbox, counts>>

\* The message brings that acquire forward.
Notified(c) ==
  /\ Id(c) \in inbox
  /\ inbox' = inbox \ {Id(c)}
  /\ IF st[c] = "waiting" THEN AcquireBy(c, TRUE) ELSE UNCHANGED <<owner, line, st>>
  /\ UNCHANGED counts

\* The message is about an id that its JVM does not await any more: the grant is released at once.
NotifiedTooLate(c) ==
  /\ Abandoned(c) \in inbox
  /\ IF owner = Abandoned(c) /\ st[c] # "gone" /\ Keeps("an abandoned grant is released")
     THEN HandOn(inbox \ {Abandoned(c)})
     ELSE inbox' = inbox \ {Abandoned(c)} /\ UNCHANGED <<owner, line>>
  /\ UNCHANGED <<st, counts>>

\* Without the message, nothing ends the claim of an abandoned id before its time. The line is a field of the key.
LoseMessage(id) ==
  /\ id \in inbox
  /\ inbox' = inbox \ {id}
  /\ IF owner = id /\ id = Abandoned(id[1]) THEN owner' = NoId /\ line' = <<>> ELSE UNCHANGED <<owner, line>>
  /\ UNCHANGED <<st, counts>>

Release(c) ==
  /\ st[c] = "holding"
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ HandOn(inbox)
  /\ UNCHANGED counts

\* The waiter gives up, and releases what was granted to it in that moment.
TimeOut(c) ==
  /\ st[c] = "waiting"
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ IF owner = Id(c) THEN HandOn(inbox) ELSE line' = Without(Id(c)) /\ UNCHANGED <<owner, inbox>>
  /\ UNCHANGED counts

\* The same while its JVM is cut off, for so long that it does not try any more: the id stays in the line.
TimeOutUnheard(c) ==
  /\ st[c] = "waiting" /\ cuts < Cuts /\ Stands(Id(c))
  /\ cuts' = cuts + 1
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ line' = [i \in DOMAIN line |-> IF line[i] = Id(c) THEN Abandoned(c) ELSE line[i]]
  /\ UNCHANGED <<owner, inbox, crashes, pauses>>

Crash(c) ==
  /\ crashes < Crashes /\ st[c] # "gone"
  /\ crashes' = crashes + 1
  /\ st' = [st EXCEPT ![c] = "gone"]
  /\ UNCHANGED <<owner, line, inbox, pauses, cuts>>

\* The key of a client that died, or a claim that was missed, expires, and the line with it. Without polls every claim is
\* missed that no message brings.
RunOut ==
  /\ owner # NoId
  /\ \/ st[owner[1]] = "gone" /\ UNCHANGED pauses
     \/ /\ st[owner[1]] = "waiting" /\ owner = Id(owner[1])
        /\ IF Keeps("polling") THEN pauses < Pauses /\ pauses' = pauses + 1 ELSE UNCHANGED pauses
  /\ owner' = NoId /\ line' = <<>>
  /\ UNCHANGED <<inbox, st, crashes, cuts>>

Next ==
  \/ \E c \in Clients :
       \/ Ask(c) \/ Poll(c) \/ Notified(c) \/ NotifiedTooLate(c) \/ LoseMessage(Id(c)) \/ LoseMessage(Abandoned(c))
       \/ Release(c) \/ TimeOut(c) \/ TimeOutUnheard(c) \/ Crash(c)
  \/ RunOut

\* Each client that is alive polls and releases sooner or later, and a key that is not renewed expires. No message needs to
\* arrive; of an abandoned id, it arrives or is lost, and in the latter case the claim expires.
Fairness ==
  /\ \A c \in Clients : WF_vars(Poll(c)) /\ WF_vars(Release(c))
  /\ \A c \in Clients : WF_vars(NotifiedTooLate(c) \/ LoseMessage(Abandoned(c)))
  /\ WF_vars(RunOut)

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
\* Promise 10: a waiter gets the lock, unless it gives up or dies; here none gives up that need not.
WaitersAreServed == \A c \in Clients : (st[c] = "waiting") ~> (st[c] # "waiting")

\* At most one holds, and owns the key.
OneHolds == \A c \in Clients : st[c] = "holding" => owner = Id(c)
=============================================================================
