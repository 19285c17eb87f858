----------------------------- MODULE CoarseTime -----------------------------
(***************************************************************************)
(* Fencing tokens where a server refuses TIME in scripts: its time is the  *)
(* end of a key less what is left of it, which has milliseconds, while     *)
(* tokens count microseconds. The last token of a lock that was released   *)
(* is therefore kept until the clock is past it (no_time_free.lua).        *)
(*                                                                         *)
(* A tick is a microsecond, and Unit of them are a millisecond. Keys that  *)
(* expire at a millisecond are there until it is over, as in Redis.        *)
(* Releases are a set: they may be executed late, or never. Attempts that  *)
(* are late or repeated, and belief, are those of LeaseLock.               *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Clients,       \* JVMs
  Unit,          \* ticks of a millisecond
  Lease,         \* milliseconds
  End,           \* the last tick
  Grants,        \* grants of the store, at most
  Passes,        \* hand-overs in memory after one grant, at most
  Features,      \* what happens besides: "keep", a minimum hold; "failover"; "set back", the clock of the server, once each
  Skew,          \* ticks by which the clock of the replica is behind, or the clock is set back
  Fine,          \* clients whose scripts have TIME, if that differs between clients
  Dropped

VARIABLES
  now,        \* ticks since the beginning
  behind,     \* ticks by which the clock of the server is behind
  owner,      \* the grant that owns the lock; Free: only its last token is kept; No: there is no key; Kept: a minimum hold
  token,      \* field f
  ends,       \* the millisecond at whose end the key expires
  lastGrant,  \* tick of the latest grant: two are never in the same tick
  grants,     \* number of grants
  left,       \* features "failover" and "set back" that have not happened yet
  down,       \* no command is executed before that tick
  net,        \* releases under way
  cl,         \* the clients
  used,       \* all tokens of grants and of hand-overs
  ordered     \* FALSE as soon as a token came that is too small, or a second time

key == <<owner, token, ends>>
server == <<behind, key, lastGrant, grants, left, down>>
tokens == <<used, ordered>>
vars == <<now, server, net, cl, tokens>>

No == <<"no", 0>>
Free == <<"free", 0>>
Kept == <<"kept", 0>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b

Idle == [st |-> "idle", grant |-> 0, until |-> 0, tok |-> 0, got |-> 0, passes |-> 0]

Clock == now - behind
Millis == Clock \div Unit
HasTime(c) == c \in Fine /\ ~Keeps("all scripts have the same time")
TimeOf(c) == IF HasTime(c) THEN Clock ELSE Millis * Unit

Believes(c) == cl[c].st = "held" /\ now < cl[c].until

Init ==
  /\ now = Unit * 2 /\ behind = 0
  /\ owner = No /\ token = 0 /\ ends = 0
  /\ lastGrant = 0 /\ grants = 0 /\ down = 0
  /\ left = Features \ {"keep"}
  /\ net = {}
  /\ cl = [c \in Clients |-> Idle]
  /\ used = {} /\ ordered = TRUE

-----------------------------------------------------------------------------
(* Redis removes a key whose millisecond is over. *)
Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ IF owner # No /\ (now + 1 - behind) \div Unit > ends
     THEN owner' = No /\ token' = 0 /\ ends' = 0
     ELSE UNCHANGED key
  /\ UNCHANGED <<behind, lastGrant, grants, left, down, net, cl, tokens>>

\* A grant of the store to a client whose reply is under way for a tick.
GrantTo(c, smallest, by) ==
  LET f == Max(TimeOf(by), smallest)
  IN /\ grants < Grants /\ lastGrant < now /\ now >= down
     /\ grants' = grants + 1 /\ lastGrant' = now
     /\ owner' = <<c, grants + 1>> /\ token' = f /\ ends' = Millis + Lease
     /\ ordered' = (ordered /\ \A u \in used : u < f)
     /\ used' = used \cup {f}
     /\ cl' = [cl EXCEPT ![c] = [st |-> "held", grant |-> grants + 1, until |-> now + Lease * Unit,
                                 tok |-> f, got |-> now + 1, passes |-> 0]]

\* acquire.lua
Acquire(c) ==
  /\ cl[c].st = "idle" /\ owner \in {No, Free}
  /\ GrantTo(c, IF owner = Free THEN token + 1 ELSE 0, c)
  /\ UNCHANGED <<now, behind, left, down, net>>

\* In memory, never more than ticks since the reply.
PassOn(c) ==
  /\ Believes(c) /\ cl[c].passes < Passes
  /\ Keeps("pace of hand-overs") => cl[c].passes < now - cl[c].got
  /\ cl' = [cl EXCEPT ![c].tok = @ + 1, ![c].passes = @ + 1]
  /\ ordered' = (ordered /\ cl[c].tok + 1 \notin used)
  /\ used' = used \cup {cl[c].tok + 1}
  /\ UNCHANGED <<now, server, net>>

\* A lease that is over by time ends in the same way; then the release finds another owner, or none.
Release(c, kind) ==
  /\ cl[c].st = "held"
  /\ cl' = [cl EXCEPT ![c] = Idle]
  /\ net' = net \cup {[k |-> kind, by |-> c, grant |-> cl[c].grant,
                       last |-> IF Keeps("a release names the last token") THEN cl[c].tok ELSE 0]}
  /\ UNCHANGED <<now, server, tokens>>

-----------------------------------------------------------------------------
(* The store. *)

\* release.lua, with free.lua or no_time_free.lua.
ExecuteRelease(m) ==
  LET last == Max(token, m.last)
      until == IF Keeps("until the clock is past it") THEN last \div Unit + 1 ELSE Millis + 1
  IN /\ m.k = "rel" /\ now >= down /\ owner = <<m.by, m.grant>>
     /\ IF Keeps("the last token stays") /\ ~HasTime(m.by) /\ Millis < until
        THEN owner' = Free /\ token' = last /\ ends' = until
        ELSE owner' = No /\ token' = 0 /\ ends' = 0
     /\ net' = net \ {m}
     /\ UNCHANGED <<now, behind, lastGrant, grants, left, down, cl, tokens>>

\* To a client that waits in the line.
ExecuteHandOn(m, c) ==
  /\ m.k = "rel" /\ owner = <<m.by, m.grant>> /\ cl[c].st = "idle"
  /\ GrantTo(c, Max(token, m.last) + 1, m.by)
  /\ net' = net \ {m}
  /\ UNCHANGED <<now, behind, left, down>>

\* keep.lua, which does not name the last token: the lock stays taken for at least a millisecond.
ExecuteKeep(m) ==
  /\ m.k = "keep" /\ now >= down /\ owner = <<m.by, m.grant>>
  /\ owner' = Kept /\ ends' = Millis + 1
  /\ net' = net \ {m}
  /\ UNCHANGED <<now, behind, token, lastGrant, grants, left, down, cl, tokens>>

\* Of a grant that no longer owns the lock.
ExecuteLate(m) ==
  /\ now >= down /\ owner # <<m.by, m.grant>>
  /\ net' = net \ {m}
  /\ UNCHANGED <<now, server, cl, tokens>>

\* A server without the key, whose clock is behind. It takes a millisecond more than that, and than the hand-overs that go on.
Failover ==
  /\ "failover" \in left
  /\ left' = left \ {"failover"}
  /\ behind' = behind + Skew
  /\ down' = now + Skew + Passes + (IF Keeps("failovers take a millisecond more") THEN Unit ELSE 0)
  /\ owner' = No /\ token' = 0 /\ ends' = 0
  /\ UNCHANGED <<now, lastGrant, grants, net, cl, tokens>>

\* While the lock is taken, or its last token kept.
SetBack ==
  /\ "set back" \in left /\ owner # No
  /\ left' = left \ {"set back"}
  /\ behind' = behind + Skew
  /\ UNCHANGED <<now, key, lastGrant, grants, down, net, cl, tokens>>

-----------------------------------------------------------------------------
Next ==
  \/ Tick
  \/ \E c \in Clients : Acquire(c) \/ PassOn(c) \/ Release(c, "rel")
  \/ \E c \in Clients : "keep" \in Features /\ Release(c, "keep")
  \/ \E m \in net : ExecuteRelease(m) \/ ExecuteKeep(m) \/ ExecuteLate(m) \/ \E c \in Clients : ExecuteHandOn(m, c)
  \/ Failover \/ SetBack

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Clients)

-----------------------------------------------------------------------------
\* Promise 5: a grant has a larger token than all before it, hand-overs included, and no token comes twice.
TokensGrow == ordered

\* Tokens are not ahead of the clock, so that a key which expires, or is lost in a failover, may forget them.
TokensAreNotAhead == \A f \in used : f <= now
=============================================================================
