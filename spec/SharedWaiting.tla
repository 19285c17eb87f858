--------------------------- MODULE SharedWaiting ---------------------------
(***************************************************************************)
(* A writer that waits is served, although readers come again and again:   *)
(* those of other JVMs, and those that share the grant of their own.       *)
(*                                                                         *)
(* As in Waiting there is no clock, and nothing is late. A group is what   *)
(* the readers of one JVM share: one grant, which the first of them asks   *)
(* for and the last of them releases, and which others join without asking *)
(* the store. A JVM whose window is closed asks as another group. Owners   *)
(* to whom a permit is passed on in memory are a group of one at a time.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Writers,  \* JVMs that write
  Groups,   \* groups of readers
  Slots,    \* readers that a group has at a time, at most
  Crashes,  \* clients that die, at most
  Dropped   \* a rule of the design that is left out; "none" is the design

VARIABLES
  owner,    \* the writer that owns the lock; NoId
  holders,  \* the groups that do
  line,     \* the clients that stand in line
  st,       \* what each client does: "out", "waiting", "holding", "gone"
  readers,  \* of each group, those that read
  open,     \* the groups that others may join
  crashes

vars == <<owner, holders, line, st, readers, open, crashes>>

Clients == Writers \cup Groups
NoId == "none"
Keeps(rule) == Dropped # rule
Without(c) == SelectSeq(line, LAMBDA other : other # c)
Lock(o, h, l) == [o |-> o, h |-> h, l |-> l]
Stands(k, c) == \E i \in DOMAIN k.l : k.l[i] = c

Init ==
  /\ owner = NoId /\ holders = {} /\ line = <<>>
  /\ st = [c \in Clients |-> "out"]
  /\ readers = [c \in Groups |-> {}] /\ open = {} /\ crashes = 0

Fits(k, c) == k.o = NoId /\ (c \in Groups \/ k.h = {})
Give(k, c, l) == IF c \in Writers THEN Lock(c, {}, l) ELSE Lock(NoId, k.h \cup {c}, l)

RECURSIVE Loop(_)
Loop(k) == IF k.l # <<>> /\ Fits(k, Head(k.l)) THEN Loop(Give(k, Head(k.l), Tail(k.l))) ELSE k

\* The key, and with it the line, is there while a client has the lock.
Becomes(k) ==
  /\ owner' = k.o /\ holders' = k.h
  /\ line' = IF k.o = NoId /\ k.h = {} THEN <<>> ELSE k.l

-----------------------------------------------------------------------------
\* acquire.lua: the first time, and as a poll.
Ask(c) ==
  /\ st[c] \in {"out", "waiting"}
  /\ LET looped == Loop(Lock(owner, holders, line))
         has(k) == k.o = c \/ c \in k.h
         may == Fits(looped, c) /\ (looped.l = <<>> \/ ~Keeps("joins behind the line"))
         k == IF has(looped) THEN looped
              ELSE IF may THEN Give(looped, c, SelectSeq(looped.l, LAMBDA other : other # c))
              ELSE IF Stands(looped, c) THEN looped
              ELSE [looped EXCEPT !.l = Append(@, c)]
     IN /\ Becomes(k)
        /\ st' = [st EXCEPT ![c] = IF has(k) THEN "holding" ELSE "waiting"]
        /\ readers' = IF has(k) /\ c \in Groups THEN [readers EXCEPT ![c] = {CHOOSE s \in Slots : TRUE}] ELSE readers
        /\ open' = IF has(k) /\ c \in Groups THEN open \cup {c} ELSE open
  /\ UNCHANGED crashes

Poll(c) == st[c] = "waiting" /\ Ask(c)

\* Without asking the store, while the window is open.
Join(c, s) ==
  /\ st[c] = "holding" /\ c \in open /\ s \notin readers[c]
  /\ readers' = [readers EXCEPT ![c] = @ \cup {s}]
  /\ UNCHANGED <<owner, holders, line, st, open, crashes>>

\* Some time after the grant of the store, which nothing lengthens.
Close(c) ==
  /\ Keeps("the window closes")
  /\ c \in open
  /\ open' = open \ {c}
  /\ UNCHANGED <<owner, holders, line, st, readers, crashes>>

\* release.lua
GiveBack(c) ==
  Becomes(Loop(Lock(IF owner = c THEN NoId ELSE owner, holders \ {c}, Without(c))))

\* The last reader releases.
EndReading(c, s) ==
  /\ st[c] = "holding" /\ s \in readers[c]
  /\ readers' = [readers EXCEPT ![c] = @ \ {s}]
  /\ IF readers[c] = {s}
     THEN GiveBack(c) /\ st' = [st EXCEPT ![c] = "out"] /\ open' = open \ {c}
     ELSE UNCHANGED <<owner, holders, line, st, open>>
  /\ UNCHANGED crashes

EndWriting(c) ==
  /\ c \in Writers /\ st[c] = "holding"
  /\ GiveBack(c) /\ st' = [st EXCEPT ![c] = "out"]
  /\ UNCHANGED <<readers, open, crashes>>

Crash(c) ==
  /\ crashes < Crashes /\ st[c] # "gone"
  /\ crashes' = crashes + 1
  /\ st' = [st EXCEPT ![c] = "gone"]
  /\ open' = open \ {c} /\ (c \in Groups => readers' = [readers EXCEPT ![c] = {}])
  /\ (c \in Writers => UNCHANGED readers)
  /\ UNCHANGED <<owner, holders, line>>

\* A deadline passes: of a key, of a holder, of an entry. It is removed by the next poll.
RunOut(c) ==
  /\ st[c] = "gone"
  /\ owner = c \/ c \in holders \/ Stands(Lock(owner, holders, line), c)
  /\ IF owner = c
     THEN owner' = NoId /\ line' = <<>> /\ UNCHANGED holders
     ELSE /\ holders' = holders \ {c}
          /\ line' = IF holders = {c} THEN <<>> ELSE Without(c)
          /\ UNCHANGED owner
  /\ UNCHANGED <<st, readers, open, crashes>>

Next ==
  \/ \E c \in Clients : Ask(c) \/ EndWriting(c) \/ Crash(c) \/ RunOut(c)
  \/ \E c \in Groups : Close(c) \/ \E s \in Slots : Join(c, s) \/ EndReading(c, s)

\* Each reader and each writer comes to its end, and everything that is limited by time; no client needs to come.
Fairness ==
  /\ \A c \in Clients : WF_vars(Poll(c)) /\ WF_vars(EndWriting(c)) /\ WF_vars(RunOut(c))
  /\ \A c \in Groups : WF_vars(Close(c)) /\ \A s \in Slots : WF_vars(EndReading(c, s))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
\* Promise 10, for readers and writers.
WaitersAreServed == \A c \in Clients : (st[c] = "waiting") ~> (st[c] # "waiting")

\* A client that holds has it in the store, and a writer alone.
OneOrReaders ==
  /\ \A c \in Clients : st[c] = "holding" => owner = c \/ c \in holders
  /\ owner # NoId => holders = {}
=============================================================================
