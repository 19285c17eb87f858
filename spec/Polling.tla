------------------------------ MODULE Polling ------------------------------
(***************************************************************************)
(* The deadlines of entries in the waiting line: an entry that is polled   *)
(* stays, and that of a JVM that is gone is removed soon, although waiters *)
(* far behind poll seldom and no poll reads the whole line.                *)
(*                                                                         *)
(* The lock is owned all the time, by an id of no client here: what a      *)
(* grant does to the line is in WaitingLine and Shared. A poll is executed *)
(* when it is sent, at any time up to the end of the interval that the     *)
(* last one returned.                                                      *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,  \* JVMs
  Base,     \* the poll interval: that of the first in the line, in ticks
  Growth,   \* by how many of them the interval of each place is longer than that of the place before it
  Longest,  \* the longest interval, in the same unit
  Watching, \* the places in which no client polls later than a poll interval after the earliest deadline
  End,      \* the last tick
  Dropped   \* a rule of the design that is left out; "none" is the design

VARIABLES
  now,
  line,     \* clients, in the order of arrival
  dl,       \* the deadline of each entry
  due,      \* before it, no deadline ends; part of field q
  next,     \* of each client that is alive and waits: its next poll, at the latest; 0: it does not wait
  watch,    \* clients whose last poll was in one of these places
  dead      \* clients that are gone

vars == <<now, line, dl, due, next, watch, dead>>

Keeps(rule) == Dropped # rule
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
Far == 1000
Stands(l, c) == \E i \in DOMAIN l : l[i] = c
Place(l, c) == CHOOSE i \in DOMAIN l : l[i] = c
Earliest(l, d) ==
  IF l = <<>> THEN Far ELSE CHOOSE t \in {d[l[i]] : i \in DOMAIN l} : \A i \in DOMAIN l : t <= d[l[i]]

Init ==
  /\ now = 1 /\ line = <<>> /\ due = Far
  /\ dl = [c \in Clients |-> 0] /\ next = [c \in Clients |-> 0]
  /\ watch = {} /\ dead = {}

\* lock.lua, cleanLine: only when the time has come.
Cleaned(c) ==
  IF now < due THEN line ELSE SelectSeq(line, LAMBDA other : other = c \/ dl[other] > now)

\* entry.lua: here each place has an interval of its own.
Interval(place, earliest) ==
  LET own == Base * Min(1 + (place - 1) * Growth, Longest)
  IN IF place <= Watching /\ Keeps("polls near the earliest deadline") THEN Min(own, Max(Base, earliest - now + Base)) ELSE own

Poll(c) ==
  /\ c \notin dead
  /\ LET cleaned == Cleaned(c)
         l == IF Stands(cleaned, c) THEN cleaned ELSE Append(cleaned, c)
         earliest == IF now < due THEN due ELSE Earliest(SelectSeq(cleaned, LAMBDA other : other # c), dl)
         interval == Interval(Place(l, c), earliest)
         mine == now + 3 * (IF Keeps("three of its own intervals") THEN interval ELSE Base)
         deadline == IF Keeps("a deadline is never moved forward") THEN Max(dl[c], mine) ELSE mine
     IN /\ line' = l
        /\ dl' = [other \in Clients |-> IF other = c THEN deadline ELSE IF Stands(l, other) THEN dl[other] ELSE 0]
        /\ due' = IF Keeps("a join moves the earliest deadline") THEN Min(earliest, deadline) ELSE earliest
        /\ next' = [next EXCEPT ![c] = now + interval]
        /\ watch' = IF Place(l, c) <= Watching THEN watch \cup {c} ELSE watch \ {c}
  /\ UNCHANGED <<now, dead>>

\* release.lua, by a waiter that gives up.
Leave(c) ==
  /\ c \notin dead /\ next[c] > 0
  /\ line' = SelectSeq(line, LAMBDA other : other # c)
  /\ next' = [next EXCEPT ![c] = 0] /\ dl' = [dl EXCEPT ![c] = 0]
  /\ watch' = watch \ {c}
  /\ UNCHANGED <<now, due, dead>>

Die(c) ==
  /\ c \notin dead /\ next[c] > 0
  /\ dead' = dead \cup {c} /\ next' = [next EXCEPT ![c] = 0] /\ watch' = watch \ {c}
  /\ UNCHANGED <<now, line, dl, due>>

Tick ==
  /\ now < End
  /\ \A c \in Clients : next[c] = 0 \/ next[c] > now
  /\ now' = now + 1
  /\ UNCHANGED <<line, dl, due, next, watch, dead>>

Next == Tick \/ \E c \in Clients : Poll(c) \/ Leave(c) \/ Die(c)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Clients)

-----------------------------------------------------------------------------
\* The order of arrival: an entry that is polled in time is not removed.
PolledEntriesStay == \A c \in Clients : next[c] > 0 => Stands(line, c)

\* An entry that is not polled any more is gone one poll interval after its deadline, if any client watches; otherwise after
\* the longest interval, if any other waits.
DeadEntriesGo ==
  /\ (\E c \in watch : next[c] > now) => \A c \in dead : Stands(line, c) => now <= dl[c] + Base
  /\ (\E c \in Clients : next[c] > now) => \A c \in dead : Stands(line, c) => now <= dl[c] + Longest * Base
=============================================================================
