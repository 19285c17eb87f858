------------------------------ MODULE Messages ------------------------------
(***************************************************************************)
(* Messages about grants that the script publishes, or the client after    *)
(* the reply, or nobody, by instances of which each has its own mode and   *)
(* may change it at any time; and counts of receivers.                     *)
(*                                                                         *)
(* As in Waiting, there is no clock. A message may be received at any time *)
(* after its publication or never; HandOver shows that a message which is  *)
(* late proves no more than it may, and one that a client publishes is a   *)
(* message that is late by the way of the reply and of the publication.    *)
(* What a client has not published when it dies, or when too many of its   *)
(* publications are under way, is a message that is lost.                  *)
(*                                                                         *)
(* The server may count no receivers of an inbox that has some, from the   *)
(* beginning or from any moment on. An entry states whether the probe of   *)
(* its instance has been counted, until its next poll states it again.     *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Clients,  \* JVMs
  Crashes,  \* clients that die, at most
  Pauses,   \* claims missed by clients that live, at most
  Changes,  \* changes of modes and of the server, at most
  Counting, \* whether the server counts receivers in the beginning
  Dropped   \* a rule of the design that is left out; "none" is the design

VARIABLES
  owner,    \* the client that owns the key; None: there is none
  line,     \* the clients that stand in line
  outbox,   \* of each client: what a reply has told it to publish
  inbox,    \* clients that a message about a grant is under way to
  st,       \* what each client does: "out", "waiting", "holding", "gone"
  mode,     \* how each client publishes
  server,   \* the modes whose messages arrive
  counts,   \* whether the server counts receivers
  counted,  \* clients whose entry states that the server has counted their inbox
  recent,   \* clients in line that have polled within their interval
  robbed,   \* whether a client that lives has lost its place against the promise
  crashes,
  pauses,
  changes

vars == <<owner, line, outbox, inbox, st, mode, server, counts, counted, recent, robbed, crashes, pauses, changes>>
way == <<mode, server, counts>>
budget == <<crashes, pauses, changes>>

None == "none"
Modes == {"script", "client", "polling"}
Keeps(rule) == Dropped # rule
Stands(c) == \E i \in DOMAIN line : line[i] = c
Without(l, c) == SelectSeq(l, LAMBDA other : other # c)

Init ==
  /\ owner = None /\ line = <<>> /\ inbox = {}
  /\ outbox = [c \in Clients |-> {}]
  /\ st = [c \in Clients |-> "out"]
  /\ mode \in [Clients -> Modes]
  /\ server = {"script", "client"}
  /\ counts = Counting /\ counted = {} /\ recent = {} /\ robbed = FALSE
  /\ crashes = 0 /\ pauses = 0 /\ changes = 0

\* acquire.lua: each attempt writes the entry again, with what the last probe has shown, if it has shown anything yet.
AcquireBy(c) ==
  \/ /\ owner \in {None, c}
     /\ owner' = c
     /\ st' = [st EXCEPT ![c] = "holding"]
     /\ UNCHANGED <<line, recent, counted>>
  \/ /\ owner \notin {None, c}
     /\ line' = IF Stands(c) THEN line ELSE Append(line, c)
     /\ st' = [st EXCEPT ![c] = "waiting"]
     /\ recent' = recent \cup {c}
     /\ \/ counted' = counted \ {c}
        \/ (counts \/ ~Keeps("counted only where a probe was")) /\ counted' = counted \cup {c}
     /\ UNCHANGED owner

\* grantLine in lock.lua, and release.lua: whether 0 receivers end the place.
IsSkipped(c) ==
  /\ ~(counts /\ st[c] # "gone")
  /\ c \in counted
  /\ Keeps("an entry that polls stays") => c \notin recent

\* The places in front that are skipped.
Skipped(l) == CHOOSE n \in 0..Len(l) : (\A i \in 1..n : IsSkipped(l[i])) /\ (n < Len(l) => ~IsSkipped(l[n + 1]))

\* release.lua: to the first in line, or the lock is free. Only mode "script" may ask for counts.
HandOn(by, l) ==
  LET n == IF mode[by] = "script" THEN Skipped(l) ELSE 0
      rest == SubSeq(l, n + 1, Len(l))
      lost == {l[i] : i \in 1..n}
  IN /\ robbed' = (robbed \/ \E c \in lost : st[c] = "waiting" /\ (c \in recent \/ ~Counting))
     /\ IF rest = <<>>
        THEN owner' = None /\ line' = <<>> /\ recent' = {} /\ UNCHANGED <<inbox, outbox>>
        ELSE /\ owner' = Head(rest) /\ line' = Tail(rest)
             /\ recent' = recent \ (lost \cup {Head(rest)})
             /\ inbox' = IF mode[by] = "script" /\ "script" \in server THEN inbox \cup {Head(rest)} ELSE inbox
             /\ outbox' = IF mode[by] = "client" THEN [outbox EXCEPT ![by] = @ \cup {Head(rest)}] ELSE outbox

-----------------------------------------------------------------------------
Ask(c) ==
  /\ st[c] = "out"
  /\ AcquireBy(c)
  /\ UNCHANGED <<inbox, outbox, way, robbed, budget>>

Poll(c) ==
  /\ Keeps("polling")
  /\ st[c] = "waiting"
  /\ AcquireBy(c)
  /\ UNCHANGED <<inbox, outbox, way, robbed, budget>>

\* The interval of an entry is over without a poll, because its client is gone or slow.
IsLate(c) ==
  /\ c \in recent
  /\ recent' = recent \ {c}
  /\ UNCHANGED <<owner, line, inbox, outbox, st, way, counted, robbed, budget>>

\* The message causes an acquire, which claims the grant.
Notified(c) ==
  /\ c \in inbox
  /\ inbox' = inbox \ {c}
  /\ IF st[c] = "waiting" THEN AcquireBy(c) ELSE UNCHANGED <<owner, line, st, recent, counted>>
  /\ UNCHANGED <<outbox, way, robbed, budget>>

LoseMessage(c) ==
  /\ c \in inbox
  /\ inbox' = inbox \ {c}
  /\ UNCHANGED <<owner, line, outbox, st, way, counted, recent, robbed, budget>>

\* The client publishes after the reply, on its own connection, whatever it does by then.
Publish(by) ==
  /\ st[by] # "gone"
  /\ \E c \in outbox[by] :
       /\ outbox' = [outbox EXCEPT ![by] = @ \ {c}]
       /\ inbox' = IF "client" \in server THEN inbox \cup {c} ELSE inbox
  /\ UNCHANGED <<owner, line, st, way, counted, recent, robbed, budget>>

\* Too many publications are under way.
Drop(by) ==
  /\ outbox[by] # {}
  /\ outbox' = [outbox EXCEPT ![by] = {}]
  /\ UNCHANGED <<owner, line, inbox, st, way, counted, recent, robbed, budget>>

Release(c) ==
  /\ st[c] = "holding"
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ HandOn(c, line)
  /\ UNCHANGED <<way, counted, budget>>

\* The waiter gives up, and releases what was granted to it in that moment.
TimeOut(c) ==
  /\ st[c] = "waiting"
  /\ st' = [st EXCEPT ![c] = "out"]
  /\ IF owner = c
     THEN HandOn(c, line)
     ELSE line' = Without(line, c) /\ recent' = recent \ {c} /\ UNCHANGED <<owner, inbox, outbox, robbed>>
  /\ UNCHANGED <<way, counted, budget>>

\* Between reply and publication, too.
Crash(c) ==
  /\ crashes < Crashes /\ st[c] # "gone"
  /\ crashes' = crashes + 1
  /\ st' = [st EXCEPT ![c] = "gone"]
  /\ outbox' = [outbox EXCEPT ![c] = {}]
  /\ UNCHANGED <<owner, line, inbox, way, counted, recent, robbed, pauses, changes>>

\* A probe finds another mode, right or wrong.
ChangeMode(c) ==
  /\ changes < Changes
  /\ changes' = changes + 1
  /\ \E m \in Modes \ {mode[c]} : mode' = [mode EXCEPT ![c] = m]
  /\ UNCHANGED <<owner, line, inbox, outbox, st, server, counts, counted, recent, robbed, crashes, pauses>>

\* Another server, or other permissions. It may stop to count.
ChangeServer ==
  /\ changes < Changes
  /\ changes' = changes + 1
  /\ \E s \in {{}, {"client"}, {"script", "client"}} \ {server} : server' = s
  /\ counts' \in {counts, FALSE}
  /\ UNCHANGED <<owner, line, inbox, outbox, st, mode, counted, recent, robbed, crashes, pauses>>

\* The key of a client that died, or a claim that was missed, expires, and the line with it.
RunOut ==
  /\ owner # None
  /\ \/ st[owner] = "gone" /\ UNCHANGED pauses
     \/ /\ st[owner] = "waiting"
        /\ IF Keeps("polling") THEN pauses < Pauses /\ pauses' = pauses + 1 ELSE UNCHANGED pauses
  /\ owner' = None /\ line' = <<>> /\ recent' = {}
  /\ UNCHANGED <<inbox, outbox, st, way, counted, robbed, crashes, changes>>

Next ==
  \/ \E c \in Clients :
       \/ Ask(c) \/ Poll(c) \/ IsLate(c) \/ Notified(c) \/ LoseMessage(c) \/ Publish(c) \/ Drop(c)
       \/ Release(c) \/ TimeOut(c) \/ Crash(c) \/ ChangeMode(c)
  \/ ChangeServer \/ RunOut

\* No message needs to be published, and none needs to arrive.
Fairness == (\A c \in Clients : WF_vars(Poll(c)) /\ WF_vars(Release(c))) /\ WF_vars(RunOut)

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
\* Promise 10, in each mixture of modes.
WaitersAreServed == \A c \in Clients : (st[c] = "waiting") ~> (st[c] # "waiting")

\* At most one holds, and owns the key.
OneHolds == \A c \in Clients : st[c] = "holding" => owner = c

\* 0 receivers never end the place of an entry that has polled within its interval, and no place at all on a server that has
\* never counted the inbox.
PlacesStay == ~robbed
=============================================================================
