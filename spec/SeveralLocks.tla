---------------------------- MODULE SeveralLocks ----------------------------
(***************************************************************************)
(* A call that needs several locks gets them in a few round trips, and no  *)
(* two calls wait for each other.                                          *)
(*                                                                         *)
(* A call sends an attempt for each lock that it lacks, all together. When *)
(* each attempt has an outcome, the call keeps the locks that are before   *)
(* the first refusal, in the order of the names, and releases those behind *)
(* it. Then it waits for the refused lock, and sends the rest together     *)
(* again. Attempts do not join the line of a lock, so they pass nobody who *)
(* waits.                                                                  *)
(*                                                                         *)
(* There is no clock, and no lease ends. The line of a lock is reduced to  *)
(* what it promises: whoever waits is served sooner or later, see Waiting. *)
(* Replies of attempts may get lost. Such an attempt counts as a refusal,  *)
(* and may be executed at any later time.                                  *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Clients,  \* calls, each of which needs all locks again and again
  Names,    \* locks: numbers, by which they are ordered
  Lost,     \* replies that get lost, at most
  Dropped   \* a rule of the design that is left out; "none" is the design

VARIABLES
  owner,    \* for each lock: the id that owns it; NoId: there is none
  attempt,  \* for each call and lock: "none", or the attempt of this round: "sent", "granted", "refused", "unknown"
  mark,     \* for each call and lock: the id of the attempt, or under which it holds the lock
  held,     \* the locks that a call keeps
  st,       \* what each call does: "asks", "decides", "waits", "works"
  late,     \* attempts without a reply that are not executed yet
  ending,   \* ids that are being released
  lost

vars == <<owner, attempt, mark, held, st, late, ending, lost>>

NoId == <<>>
Keeps(rule) == Dropped # rule
\* An id is used once. The numbers of ids that nothing refers to any more are used again here, to have few states.
Numbers == 0..2
Id(c, n, number) == <<c, n, number>>
Mine(c, n) == Id(c, n, mark[c][n])
InUse(c, n, number) ==
  LET id == Id(c, n, number) IN id \in ending \/ id \in late \/ (owner[n] = id /\ Keeps("each attempt has an id of its own"))
Fresh(c, n) ==
  IF Keeps("each attempt has an id of its own")
  THEN CHOOSE number \in Numbers :
         ~InUse(c, n, number) /\ \A less \in Numbers : less < number => InUse(c, n, less)
  ELSE 0
Lacks(c) == Names \ held[c]
Least(names) == CHOOSE n \in names : \A other \in names : n <= other
Largest(names) == CHOOSE n \in names : \A other \in names : n >= other
Refused(c) == {n \in Lacks(c) : attempt[c][n] \in {"refused", "unknown"}}
\* The lock for which a call waits: the first that was refused.
Awaited(c) == IF Keeps("waits for the first refusal") THEN Least(Refused(c)) ELSE Largest(Refused(c))

Init ==
  /\ owner = [n \in Names |-> NoId]
  /\ attempt = [c \in Clients |-> [n \in Names |-> "none"]]
  /\ mark = [c \in Clients |-> [n \in Names |-> 0]]
  /\ held = [c \in Clients |-> {}]
  /\ st = [c \in Clients |-> "asks"]
  /\ late = {} /\ ending = {} /\ lost = 0

-----------------------------------------------------------------------------
\* One attempt for each lock that the call lacks, without waiting for a reply in between.
Ask(c) ==
  /\ st[c] = "asks"
  /\ st' = [st EXCEPT ![c] = "decides"]
  /\ attempt' = [attempt EXCEPT ![c] = [n \in Names |-> IF n \in Lacks(c) THEN "sent" ELSE "none"]]
  /\ mark' = [mark EXCEPT ![c] = [n \in Names |-> IF n \in Lacks(c) THEN Fresh(c, n) ELSE mark[c][n]]]
  /\ UNCHANGED <<owner, held, late, ending, lost>>

IsAwaited(n) == \E c \in Clients : st[c] = "waits" /\ Awaited(c) = n
MayGrant(id, n) == owner[n] = id \/ (owner[n] = NoId /\ ~IsAwaited(n))

\* acquire.lua with a wait of 0.
ExecuteAttempt(c, n) ==
  /\ st[c] = "decides" /\ attempt[c][n] = "sent"
  /\ IF MayGrant(Mine(c, n), n)
     THEN /\ owner' = [owner EXCEPT ![n] = Mine(c, n)]
          /\ attempt' = [attempt EXCEPT ![c][n] = "granted"]
     ELSE /\ attempt' = [attempt EXCEPT ![c][n] = "refused"]
          /\ UNCHANGED owner
  /\ UNCHANGED <<mark, held, st, late, ending, lost>>

LoseReply(c, n) ==
  /\ st[c] = "decides" /\ attempt[c][n] = "sent" /\ lost < Lost
  /\ lost' = lost + 1
  /\ attempt' = [attempt EXCEPT ![c][n] = "unknown"]
  /\ late' = late \cup {Mine(c, n)}
  /\ UNCHANGED <<owner, mark, held, st, ending>>

ExecuteLateAttempt(id) ==
  /\ id \in late
  /\ late' = late \ {id}
  /\ owner' = IF MayGrant(id, id[2]) THEN [owner EXCEPT ![id[2]] = id] ELSE owner
  /\ UNCHANGED <<attempt, mark, held, st, ending, lost>>

\* Each attempt has an outcome.
Decide(c) ==
  /\ st[c] = "decides"
  /\ \A n \in Names : attempt[c][n] # "sent"
  /\ LET granted == {n \in Lacks(c) : attempt[c][n] = "granted"}
         kept == IF Refused(c) = {} \/ ~Keeps("only what is before the first refusal is kept")
                 THEN granted
                 ELSE {n \in granted : n < Least(Refused(c))}
         unknown == IF Keeps("what has no reply is released")
                    THEN {n \in Lacks(c) : attempt[c][n] = "unknown"}
                    ELSE {}
     IN /\ held' = [held EXCEPT ![c] = @ \cup kept]
        /\ ending' = ending \cup {Mine(c, n) : n \in (granted \ kept) \cup unknown}
        /\ st' = [st EXCEPT ![c] = IF Refused(c) = {} THEN "works" ELSE "waits"]
  /\ UNCHANGED <<owner, attempt, mark, late, lost>>

\* The line grants the lock to the call that waits for it, under another id.
GrantWaiting(c) ==
  /\ st[c] = "waits"
  /\ LET n == Awaited(c) IN
     /\ owner[n] = NoId
     /\ mark' = [mark EXCEPT ![c][n] = Fresh(c, n)]
     /\ owner' = [owner EXCEPT ![n] = Id(c, n, Fresh(c, n))]
     /\ held' = [held EXCEPT ![c] = @ \cup {n}]
     /\ st' = [st EXCEPT ![c] = IF Lacks(c) = {n} THEN "works" ELSE "asks"]
  /\ UNCHANGED <<attempt, late, ending, lost>>

\* release.lua. It is repeated while an attempt of the id can still be executed.
ExecuteRelease(id) ==
  /\ id \in ending
  /\ owner' = IF owner[id[2]] = id THEN [owner EXCEPT ![id[2]] = NoId] ELSE owner
  /\ ending' = IF id \in late THEN ending ELSE ending \ {id}
  /\ UNCHANGED <<attempt, mark, held, st, late, lost>>

EndWork(c) ==
  /\ st[c] = "works"
  /\ ending' = ending \cup {Mine(c, n) : n \in Names}
  /\ held' = [held EXCEPT ![c] = {}]
  /\ st' = [st EXCEPT ![c] = "asks"]
  /\ attempt' = [attempt EXCEPT ![c] = [n \in Names |-> "none"]]
  /\ UNCHANGED <<owner, mark, late, lost>>

Ids == {Id(c, n, number) : c \in Clients, n \in Names, number \in Numbers}

Next ==
  \/ \E c \in Clients :
       \/ Ask(c) \/ Decide(c) \/ GrantWaiting(c) \/ EndWork(c)
       \/ \E n \in Names : ExecuteAttempt(c, n) \/ LoseReply(c, n)
  \/ \E id \in Ids : ExecuteLateAttempt(id) \/ ExecuteRelease(id)

\* A line serves whoever waits, although others take the lock in between.
Fairness ==
  /\ \A c \in Clients : WF_vars(Ask(c)) /\ WF_vars(Decide(c)) /\ SF_vars(GrantWaiting(c)) /\ WF_vars(EndWork(c))
  /\ \A c \in Clients, n \in Names : WF_vars(ExecuteAttempt(c, n))
  /\ \A id \in Ids : WF_vars(ExecuteLateAttempt(id)) /\ WF_vars(ExecuteRelease(id))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
\* A call that works owns each of its locks.
OwnsWhatItHolds == \A c \in Clients : \A n \in held[c] : owner[n] = Mine(c, n)

\* An id that owns a lock belongs to a call that keeps it or decides about it, or is being released.
NoIdIsForgotten ==
  \A n \in Names : LET id == owner[n] IN
    \/ id = NoId
    \/ id \in ending
    \/ /\ id = Mine(id[1], n)
       /\ n \in held[id[1]] \/ (st[id[1]] = "decides" /\ attempt[id[1]][n] \in {"granted", "unknown"})

\* A call that waits holds only locks with smaller names, which is why no two calls wait for each other.
WaitsInOrder == \A c \in Clients : st[c] = "waits" => \A n \in held[c] : n < Awaited(c)

EachCallWorks == \A c \in Clients : []<>(st[c] = "works")
=============================================================================
