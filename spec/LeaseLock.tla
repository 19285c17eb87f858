----------------------------- MODULE LeaseLock -----------------------------
(***************************************************************************)
(* One lock, without a waiting line: when a client may believe that it     *)
(* holds, for how long, and under which fencing token.                     *)
(*                                                                         *)
(* One integer clock serves all. Belief ends exactly where the lease does: *)
(* the margin of the code pays for clocks that run at different speeds,    *)
(* and there are none here. With the feature "lose", it ends a tick        *)
(* earlier: the margin is also the time that the owner has to react.       *)
(*                                                                         *)
(* Messages are a set: a request may be executed late, in any order, never *)
(* (then it, or its answer, was lost), and up to Replays times once more.  *)
(* A client that crashes or is paused is one that takes no steps: nothing  *)
(* here forces a client to act, so each invariant holds for those too.     *)
(*                                                                         *)
(* Dropped names one rule of the design that is left out, to see that it   *)
(* is needed; "none" is the design.                                        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Clients,       \* JVMs; each has one contender for the lock at a time
  Ids,           \* acquisition ids that all of them draw, at most
  Lease,         \* ticks
  End,           \* the last tick
  Open,          \* requests of one acquisition that can be under way at a time
  Replays,       \* executions of requests that were executed before
  Features,      \* what clients do besides acquiring and releasing: "renew", "lose", "next"
  Passes,        \* hand-overs in memory after one grant, at most
  Failovers,     \* promotions of a replica that lags behind
  FailoverTime,  \* ticks that one takes; more than Passes
  Dropped

VARIABLES
  now,        \* the clock
  owner,      \* field o of the lock: an acquisition id; NoId: there is no key
  token,      \* field f
  exp,        \* when the key expires; it is there while now < exp
  counter,    \* only if tokens are counted instead of taken from the clock
  lastGrant,  \* tick of the latest grant: two are never in the same microsecond
  replica,    \* what a replica has of the four above
  failovers,
  down,       \* no command is executed before that tick
  net,        \* requests and answers under way
  replays,
  cl,         \* the clients
  used,       \* all tokens of grants and of hand-overs
  ordered     \* FALSE as soon as a token came that is too small, or a second time

server == <<owner, token, exp, counter, lastGrant>>
failing == <<replica, failovers, down>>
tokens == <<used, ordered>>
vars == <<now, server, failing, net, replays, cl, tokens>>

NoId == <<>>
Keeps(rule) == Dropped # rule
Max(a, b) == IF a > b THEN a ELSE b

Id(c) == <<c, cl[c].n>>
Idle(n) == [st |-> "idle", n |-> n, until |-> 0, tok |-> 0, got |-> 0, passes |-> 0]
Asking(n) == [Idle(n) EXCEPT !.st = "asking"]
NextId(c) == IF Keeps("fresh ids") THEN cl[c].n + 1 ELSE 1
MayDraw == Cardinality({<<c, n>> \in Clients \X (1..Ids) : n <= cl[c].n}) < Ids
Is(c, state) == cl[c].st = state
Asks(id) == cl[id[1]].n = id[2] /\ Is(id[1], "asking")
Holds(id) == cl[id[1]].n = id[2] /\ Is(id[1], "held")

\* What the lease reports, without asking the store.
Believes(c) == Is(c, "held") /\ now < cl[c].until

Requests == {m \in net : m.k \in {"acq", "ren", "rel"}}
MaySend(c) == Cardinality({m \in Requests : m.id = Id(c)}) < Open

\* Answers to an id that is over are ignored: they need not be kept, nor when its requests were sent. (Requests
\* that differ in nothing else become one, and Replays what executes it twice.)
AfterEndOf(id) ==
  {IF m.k \in {"acq", "ren"} /\ m.id = id THEN [m EXCEPT !.sent = 0] ELSE m :
     m \in {m \in net : ~(m.k \in {"granted", "renewed"} /\ m.id = id)}}

Init ==
  /\ now = 1 /\ owner = NoId /\ token = 0 /\ exp = 0 /\ counter = 0 /\ lastGrant = 0
  /\ replica = [owner |-> NoId, token |-> 0, exp |-> 0, counter |-> 0]
  /\ failovers = 0 /\ down = 0
  /\ net = {} /\ replays = 0
  /\ cl = [c \in Clients |-> Idle(0)]
  /\ used = {} /\ ordered = TRUE

-----------------------------------------------------------------------------
(* The clock. *)

\* Too old to be believed when it is answered; how old exactly makes no difference any more.
TooOld(sent) == Keeps("send time") /\ sent + Lease <= now + 1

Aged(messages) ==
  {IF m.k \in {"acq", "ren"} /\ TooOld(m.sent) THEN [m EXCEPT !.sent = 0] ELSE m :
     m \in {m \in messages : ~(m.k \in {"granted", "renewed"} /\ TooOld(m.sent))}}

\* Redis removes a key that has expired.
Tick ==
  /\ now < End
  /\ now' = now + 1
  /\ net' = Aged(net)
  /\ cl' = [c \in Clients |-> IF cl[c].until <= now + 1 THEN [cl[c] EXCEPT !.until = 0] ELSE cl[c]]
  /\ IF owner # NoId /\ now + 1 >= exp
     THEN owner' = NoId /\ token' = 0 /\ exp' = 0
     ELSE UNCHANGED <<owner, token, exp>>
  /\ UNCHANGED <<counter, lastGrant, failing, replays, tokens>>

-----------------------------------------------------------------------------
(* Clients. *)

\* The first attempt, under a new id.
Acquire(c) ==
  /\ Is(c, "idle") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Asking(NextId(c))]
  /\ net' = net \cup {[k |-> "acq", id |-> <<c, NextId(c)>>, sent |-> now]}
  /\ UNCHANGED <<now, server, failing, replays, tokens>>

\* The same after an attempt that was refused, or not answered: under the same id.
AcquireAgain(c) ==
  /\ Is(c, "asking") /\ MaySend(c)
  /\ net' = net \cup {[k |-> "acq", id |-> Id(c), sent |-> now]}
  /\ UNCHANGED <<now, server, failing, replays, cl, tokens>>

\* The lease counts from the sending of the very attempt that was answered.
Granted(r) ==
  LET c == r.id[1]
      until == (IF Keeps("send time") THEN r.sent ELSE now) + Lease
  IN /\ r.k = "granted" /\ Asks(r.id) /\ until > now
     /\ cl' = [cl EXCEPT ![c] = [st |-> "held", n |-> r.id[2], until |-> until, tok |-> r.f,
                                 \* An answer is under way for a tick at least.
                                 got |-> IF Passes > 0 THEN Max(now, r.f + 1) ELSE 0,
                                 passes |-> 0]]
     /\ net' = {m \in net : ~(m.k = "granted" /\ m.id = r.id)}
     /\ UNCHANGED <<now, server, failing, replays, tokens>>

\* The watchdog.
Renew(c) ==
  /\ "renew" \in Features
  /\ Believes(c) /\ now + Lease > cl[c].until /\ MaySend(c)
  /\ net' = net \cup {[k |-> "ren", id |-> Id(c), sent |-> now]}
  /\ UNCHANGED <<now, server, failing, replays, cl, tokens>>

\* A loss is final, and nothing shortens what is left.
Renewed(r) ==
  LET c == r.id[1]
      until == (IF Keeps("send time") THEN r.sent ELSE now) + Lease
  IN /\ r.k = "renewed" /\ Holds(r.id) /\ Believes(c)
     /\ cl' = [cl EXCEPT ![c].until = Max(@, until)]
     /\ net' = net \ {r}
     /\ UNCHANGED <<now, server, failing, replays, tokens>>

\* To the next waiter of this JVM, in memory: the same id, the same end, the next token; never more passes than ticks since
\* the answer came.
PassOn(c) ==
  /\ Believes(c)
  /\ cl[c].passes < Passes
  /\ Keeps("pace of hand-overs") => cl[c].passes < now - cl[c].got
  /\ cl' = [cl EXCEPT ![c].tok = @ + 1, ![c].passes = @ + 1]
  /\ ordered' = (ordered /\ cl[c].tok + 1 \notin used)
  /\ used' = used \cup {cl[c].tok + 1}
  /\ UNCHANGED <<now, server, failing, net, replays>>

ReleaseOf(c) == [k |-> "rel", id |-> Id(c), last |-> 0, sent |-> 0, next |-> NoId]

\* The belief ends by time, and the owner is notified of the loss. The key stays for the rest of the lease, unless the owner
\* releases it: until then its body may still be reacting.
Lose(c) ==
  /\ "lose" \in Features
  /\ Is(c, "held") /\ now + 1 >= cl[c].until
  /\ cl' = [cl EXCEPT ![c].st = "lost"]
  /\ net' = IF Keeps("a loss leaves the key") THEN net ELSE net \cup {ReleaseOf(c)}
  /\ UNCHANGED <<now, server, failing, replays, tokens>>

\* By the owner of a lease that is held, lost or over, by its JVM after a lost lease is over, and of an acquisition that gives up.
Release(c) ==
  /\ cl[c].st \in {"asking", "held", "lost"}
  /\ cl' = [cl EXCEPT ![c] = Idle(cl[c].n)]
  /\ net' = AfterEndOf(Id(c)) \cup {ReleaseOf(c)}
  /\ UNCHANGED <<now, server, failing, replays, tokens>>

\* A release that names the successor: the id under which this JVM asks next.
ReleaseForNext(c) ==
  /\ "next" \in Features
  /\ Is(c, "held") /\ MayDraw
  /\ cl' = [cl EXCEPT ![c] = Asking(NextId(c))]
  /\ net' = AfterEndOf(Id(c))
            \cup {[k |-> "rel", id |-> Id(c), last |-> cl[c].tok, sent |-> now, next |-> <<c, NextId(c)>>]}
  /\ UNCHANGED <<now, server, failing, replays, tokens>>

-----------------------------------------------------------------------------
(* The store. Each script is one step. *)

\* Takes a request out of the net, or leaves it there, to be executed once more (Lettuce after a reconnect).
Executed(m, answers) ==
  \/ net' = (net \ {m}) \cup answers /\ UNCHANGED replays
  \/ replays < Replays /\ replays' = replays + 1 /\ net' = net \cup answers

GrantedTo(id, sent, f) ==
  IF Asks(id) THEN {[k |-> "granted", id |-> id, sent |-> sent, f |-> f]} ELSE {}

\* Without hand-overs and failovers a token is the tick of its grant, and nothing is to be seen.
Numbered == Passes > 0 \/ Failovers > 0

\* max(TIME, f + 1, last + 1) of the scripts; smallest is 0 where the key is gone.
NewToken(smallest) ==
  IF ~Numbered THEN 0 ELSE IF Keeps("time in tokens") THEN Max(now, smallest) ELSE counter + 1

GrantTo(id, smallest) ==
  /\ owner' = id /\ token' = NewToken(smallest) /\ exp' = now + Lease
  /\ IF Numbered
     THEN /\ lastGrant < now /\ lastGrant' = now
          /\ counter' = IF Keeps("time in tokens") THEN 0 ELSE counter + 1
          /\ ordered' = (ordered /\ \A f \in used : f < NewToken(smallest))
          /\ used' = used \cup {NewToken(smallest)}
     ELSE UNCHANGED <<lastGrant, counter, tokens>>

FullLeaseAgain ==
  /\ exp' = IF Keeps("full lease again") THEN Max(exp, now + Lease) ELSE exp
  /\ UNCHANGED <<owner, token, counter, lastGrant, tokens>>

\* acquire.lua
ExecuteAcquire(m) ==
  /\ m.k = "acq" /\ now >= down
  /\ \/ /\ owner = NoId
        /\ GrantTo(m.id, 0)
        /\ Executed(m, GrantedTo(m.id, m.sent, NewToken(0)))
     \/ /\ owner = m.id
        /\ FullLeaseAgain
        /\ Executed(m, GrantedTo(m.id, m.sent, token))
     \/ /\ owner \notin {NoId, m.id}
        /\ Executed(m, {})
        /\ UNCHANGED <<server, tokens>>
  /\ UNCHANGED <<now, failing, cl>>

\* renew.lua. A refusal has the effect of no answer here: it ends the belief earlier.
ExecuteRenew(m) ==
  /\ m.k = "ren" /\ now >= down
  /\ IF owner = m.id
     THEN /\ exp' = Max(exp, now + Lease)
          /\ Executed(m, IF Holds(m.id) THEN {[k |-> "renewed", id |-> m.id, sent |-> m.sent]} ELSE {})
     ELSE UNCHANGED exp /\ Executed(m, {})
  /\ UNCHANGED <<now, owner, token, counter, lastGrant, failing, cl, tokens>>

\* release.lua, without a line
ExecuteRelease(m) ==
  LET mine == owner = m.id \/ (owner # NoId /\ ~Keeps("compare in release"))
  IN
  /\ m.k = "rel" /\ now >= down
  /\ \/ /\ mine /\ m.next = NoId
        /\ owner' = NoId /\ token' = 0 /\ exp' = 0
        /\ Executed(m, {})
        /\ UNCHANGED <<counter, lastGrant, tokens>>
     \/ /\ mine /\ m.next # NoId
        /\ LET smallest == Max(token, m.last) + 1
           IN /\ GrantTo(m.next, smallest)
              /\ Executed(m, GrantedTo(m.next, m.sent, NewToken(smallest)))
     \/ /\ ~mine /\ m.next # NoId /\ owner = m.next
        /\ FullLeaseAgain
        /\ Executed(m, GrantedTo(m.next, m.sent, token))
     \/ /\ ~mine /\ (m.next = NoId \/ owner # m.next)
        /\ Executed(m, {})
        /\ UNCHANGED <<server, tokens>>
  /\ UNCHANGED <<now, failing, cl>>

-----------------------------------------------------------------------------
(* A replica that lags behind, and takes over. Starting empty is the special case that it never got anything. *)

Replicate ==
  /\ failovers < Failovers
  /\ replica' = [owner |-> owner, token |-> token, exp |-> exp, counter |-> counter]
  /\ UNCHANGED <<now, server, failovers, down, net, replays, cl, tokens>>

Failover ==
  /\ failovers < Failovers
  /\ failovers' = failovers + 1
  /\ down' = now + (IF Keeps("failovers are slower than hand-overs") THEN FailoverTime ELSE 0)
  /\ IF now < replica.exp
     THEN owner' = replica.owner /\ token' = replica.token /\ exp' = replica.exp
     ELSE owner' = NoId /\ token' = 0 /\ exp' = 0
  /\ counter' = replica.counter
  /\ replica' = [owner |-> NoId, token |-> 0, exp |-> 0, counter |-> 0]
  /\ UNCHANGED <<now, lastGrant, net, replays, cl, tokens>>

-----------------------------------------------------------------------------
Next ==
  \/ Tick
  \/ \E c \in Clients :
       Acquire(c) \/ AcquireAgain(c) \/ Renew(c) \/ PassOn(c) \/ Lose(c) \/ Release(c) \/ ReleaseForNext(c)
  \/ \E m \in net : Granted(m)
  \/ \E m \in net : Renewed(m)
  \/ \E m \in net : ExecuteAcquire(m)
  \/ \E m \in net : ExecuteRenew(m)
  \/ \E m \in net : ExecuteRelease(m)
  \/ Replicate \/ Failover

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Clients)

-----------------------------------------------------------------------------
(* What must hold. *)

\* Promise 1: at most one client believes. Not over a failover (promise 14).
OneBelieves == Cardinality({c \in Clients : Believes(c)}) <= 1

\* Promise 2: a client that believes owns the key, which does not expire before the belief does. Not over a failover.
BeliefEndsFirst == \A c \in Clients : Believes(c) => owner = Id(c) /\ cl[c].until <= exp

\* Promise 3: while an owner that was notified of its loss may react, no other client gets the lock. Not over a failover.
LossLeavesTime == \A c \in Clients : Is(c, "lost") /\ now < cl[c].until => owner = Id(c)

\* Promise 5: a grant has a larger token than all before it, hand-overs included, and no token comes twice; always.
TokensGrow == ordered
=============================================================================
