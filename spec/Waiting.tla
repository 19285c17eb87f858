------------------------------ MODULE Waiting ------------------------------
(***************************************************************************)
(* Who waits is served: nobody waits for ever, although messages get lost,  *)
(* owners crash, and grants are not claimed in time.                        *)
(*                                                                          *)
(* There is no clock here. A script is executed when it is sent, and a key  *)
(* may run out unless its owner is awake, which is what renewing it means.  *)
(* Only the fairness below says what happens sooner or later; that messages *)
(* arrive is not part of it. Clients come back as often as they like.       *)
(*                                                                          *)
(* Pauses counts claims that are missed by somebody who is alive: a client  *)
(* that missed every claim would be promised nothing.                       *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Clients,  \* JVMs
  Crashes,  \* clients that die, at most
  Pauses,   \* claims missed by clients that live, at most
  Dropped   \* a rule of the design that is left out; "none" is the design

VARIABLES
  owner,    \* who owns the key; Nobody: there is none
  line,     \* who stands in line
  inbox,    \* clients that a message about a grant is under way to
  st,       \* what each client does: "out", "waiting", "holding", "gone"
  crashes,
  pauses

vars == <<owner, line, inbox, st, crashes, pauses>>

Nobody == "nobody"
Keeps(rule) == Dropped # rule
Stands(c) == \E i \in DOMAIN line : line[i] = c
Without(c) == SelectSeq(line, LAMBDA other : other # c)

Init ==
  /\ owner = Nobody /\ line = <<>> /\ inbox = {}
  /\ st = [c \in Clients |-> "out"]
  /\ crashes = 0 /\ pauses = 0

\* acquire.lua
AcquireBy(c, join) ==
  \/ /\ owner \in {Nobody, c}
     /\ owner' = c
     /\ st' = [st EXCEPT ![c] = "holding"]
     /\ UNCHANGED line
  \/ /\ owner \notin {Nobody, c}
     /\ line' = IF Stands(c) \/ ~join THEN line ELSE Append(line, c)
     /\ st' = [st EXCEPT ![c] = "waiting"]
     /\ UNCHANGED owner

\* release.lua: to the first in line, with a message, or to nobody.
HandOn ==
  IF line = <<>>
  THEN owner' = Nobody /\ UNCHANGED <<line, inbox>>
  ELSE owner' = Head(line) /\ line' = Tail(line) /\ inbox' = inbox \cup {Head(line)}

-----------------------------------------------------------------------------
\* BlockingAcquirer.poll, the first time.
Ask(c) ==
  /\ st[c] = "out"
  /\ AcquireBy(c, TRUE)
  /\ UNCHANGED <<inbox, crashes, pauses>>

\* The same again when the pause of PollSchedule is over; asking anew is finding the way back into the line.
Poll(c) ==
  /\ Keeps("polling")
  /\ st[c] = "waiting"
  /\ AcquireBy(c, Keeps("polling joins"))
  /\ UNCHANGED <<inbox, crashes, pauses>>

\* NotificationSubscription and HandOverMessages.handedOver: the message brings that acquire forward.
Hear(c) ==
  /\ c \in inbox
  /\ inbox' = inbox \ {c}
  /\ IF st[c] = "waiting" THEN AcquireBy(c, TRUE) ELSE UNCHANGED <<owner, line, st>>
  /\ UNCHANGED <<crashes, pauses>>

LoseMessage(c) ==
  /\ c \in inbox
  /\ inbox' = inbox \ {c}
  /\ UNCHANGED <<owner, line, st, crashes, pauses>>

\* StoreRelease
Release(c) ==
  /\ st[c] = "holding"
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ HandOn
  /\ UNCHANGED <<crashes, pauses>>

\* OrphanCleanup.ofTicket: gives up, and gives back what was granted to it in that moment.
TimeOut(c) ==
  /\ st[c] = "waiting"
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ IF owner = c THEN HandOn ELSE line' = Without(c) /\ UNCHANGED <<owner, inbox>>
  /\ UNCHANGED <<crashes, pauses>>

Crash(c) ==
  /\ crashes < Crashes /\ st[c] # "gone"
  /\ crashes' = crashes + 1
  /\ st' = [st EXCEPT ![c] = "gone"]
  /\ UNCHANGED <<owner, line, inbox, pauses>>

\* The key of somebody who died, or a claim that was missed, runs out; the line is a field of the key. Without polls
\* every claim is missed that no message brings.
RunOut ==
  /\ owner # Nobody
  /\ \/ st[owner] = "gone" /\ UNCHANGED pauses
     \/ st[owner] = "waiting" /\ Keeps("polling") /\ pauses < Pauses /\ pauses' = pauses + 1
     \/ st[owner] = "waiting" /\ ~Keeps("polling") /\ UNCHANGED pauses
  /\ owner' = Nobody /\ line' = <<>>
  /\ UNCHANGED <<inbox, st, crashes>>

Next ==
  \/ \E c \in Clients :
       Ask(c) \/ Poll(c) \/ Hear(c) \/ LoseMessage(c) \/ Release(c) \/ TimeOut(c) \/ Crash(c)
  \/ RunOut

\* Whoever is alive polls and releases sooner or later, and what nobody renews runs out. No message needs to arrive.
Fairness ==
  /\ \A c \in Clients : WF_vars(Poll(c)) /\ WF_vars(Release(c))
  /\ WF_vars(RunOut)

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
\* Promise 10: who waits gets the lock, unless it gives up or dies; here nobody gives up who need not.
WhoWaitsIsServed == \A c \in Clients : (st[c] = "waiting") ~> (st[c] # "waiting")

\* At most one holds, and owns the key.
OneHolds == \A c \in Clients : st[c] = "holding" => owner = c
=============================================================================
