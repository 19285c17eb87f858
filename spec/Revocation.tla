----------------------------- MODULE Revocation -----------------------------
(***************************************************************************)
(* A forced release of a lock, and the message about it to the instance    *)
(* that owns the lock. The message may be late, repeated, lost or forged.  *)
(* It causes a renewal at once, and only the reply to a renewal ends a     *)
(* grant. Beside it there are hand-overs in memory and between clients,    *)
(* renewals under way, and releases with a minimum hold.                   *)
(*                                                                         *)
(* There is no clock, and no lease runs out: LeaseLock has both. An        *)
(* acquire is executed once. A repetition of it could grant the lock again *)
(* to the id that was released by force, whose owner then goes on rightly. *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Clients, \* JVMs
  Ids,     \* ids that a client may use
  Forces,  \* forced releases, at most
  Forged,  \* forged messages, at most
  Dropped  \* a rule of the design that is left out; "none" is the design

VARIABLES
  owner,   \* the id that owns the key, Kept of one, or None
  cl,      \* of each client: what it does, the number of its id, and whether the grant was handed over in memory
  asked,   \* clients to which a message has come that no later renewal has answered yet
  net,     \* commands and replies under way
  mail,    \* messages under way, which stay there: each may come again
  force,   \* the step of the forced release, and its id
  told,    \* ids about which a message that is not forged has come to their client, while it asked or held
  revoked, \* ids whose owner was notified of a revocation
  robbed,  \* whether a forced release has ended a grant that it has not found before
  forces,
  forged

vars == <<owner, cl, asked, net, mail, force, told, revoked, robbed, forces, forged>>

None == <<>>
Kept(id) == <<id[1], id[2], "kept">>
Keeps(rule) == Dropped # rule
Id(c) == <<c, cl[c].n>>
Is(c, st) == cl[c].st = st
Client(st, n, passed) == [st |-> st, n |-> n, passed |-> passed]
NoForce == [step |-> "none", id |-> None]

\* Renewals and their replies are fresh unless a message has come since they were sent.
Ren(id, fresh) == [k |-> "ren", id |-> id, fresh |-> fresh]
Answer(id, fresh, ok) == [k |-> "answer", id |-> id, fresh |-> fresh, ok |-> ok]
IsRenewal(m, id) == m.k \in {"ren", "answer"} /\ m.id = id
\* A renewal whose grant has ended has no effect.
WithoutRenewals(id) == {m \in net : ~IsRenewal(m, id)}
Aged(id) == {IF IsRenewal(m, id) THEN [m EXCEPT !.fresh = FALSE] ELSE m : m \in net}

Init ==
  /\ owner = None /\ net = {} /\ mail = {} /\ force = NoForce
  /\ cl = [c \in Clients |-> Client("out", 0, FALSE)]
  /\ asked = {} /\ told = {} /\ revoked = {} /\ robbed = FALSE
  /\ forces = 0 /\ forged = 0

-----------------------------------------------------------------------------
(* Clients. *)

Acquire(c) ==
  /\ Is(c, "out") /\ cl[c].n < Ids
  /\ cl' = [cl EXCEPT ![c] = Client("asking", cl[c].n + 1, FALSE)]
  /\ asked' = asked \ {c}
  /\ net' = net \cup {[k |-> "acq", id |-> <<c, cl[c].n + 1>>]}
  /\ UNCHANGED <<owner, mail, force, told, revoked, robbed, forces, forged>>

\* The reply to the acquire. A message that has come before it causes a renewal as well.
Granted(c) ==
  /\ Is(c, "asking")
  /\ \E m \in net :
       /\ m.k = "granted" /\ m.id = Id(c)
       /\ net' = (net \ {m}) \cup (IF c \in asked THEN {Ren(Id(c), TRUE)} ELSE {})
  /\ cl' = [cl EXCEPT ![c].st = "held"]
  /\ UNCHANGED <<owner, asked, mail, force, told, revoked, robbed, forces, forged>>

\* The watchdog, also because the reply to an earlier renewal does not arrive.
Renew(c) ==
  /\ Is(c, "held")
  /\ Ren(Id(c), TRUE) \notin net /\ \A ok \in BOOLEAN : Answer(Id(c), TRUE, ok) \notin net
  /\ net' = net \cup {Ren(Id(c), TRUE)}
  /\ UNCHANGED <<owner, cl, asked, mail, force, told, revoked, robbed, forces, forged>>

\* A hand-over in memory: the next owner has the same id, and a larger token than the store.
PassOn(c) ==
  /\ Is(c, "held") /\ ~cl[c].passed
  /\ cl' = [cl EXCEPT ![c].passed = TRUE]
  /\ UNCHANGED <<owner, asked, net, mail, force, told, revoked, robbed, forces, forged>>

\* A release, or one with a minimum hold.
Release(c, k) ==
  /\ Is(c, "held")
  /\ cl' = [cl EXCEPT ![c].st = "out"]
  /\ net' = WithoutRenewals(Id(c)) \cup {[k |-> k, id |-> Id(c)]}
  /\ UNCHANGED <<owner, asked, mail, force, told, revoked, robbed, forces, forged>>

\* LocalLock.revoked: the message is about the present id of the client.
Notified(c, m) ==
  /\ m.id = Id(c) /\ cl[c].st \in {"asking", "held"}
  /\ told' = IF m.genuine THEN told \cup {m.id} ELSE told
  /\ IF Keeps("a message is only a check")
     THEN /\ UNCHANGED <<cl, revoked>>
          /\ IF \/ Is(c, "asking") /\ ~Keeps("a message before the grant counts")
                \/ cl[c].passed /\ ~Keeps("a token is not compared")
             THEN UNCHANGED <<asked, net>>
             ELSE /\ asked' = asked \cup {c}
                  /\ net' = IF Is(c, "asking") THEN net
                            ELSE IF \/ Keeps("the renewal follows the message")
                                    \/ ~\E r \in net : IsRenewal(r, m.id)
                            THEN Aged(m.id) \cup {Ren(m.id, TRUE)}
                            ELSE net
     ELSE /\ cl' = IF Is(c, "held") THEN [cl EXCEPT ![c].st = "out"] ELSE cl
          /\ revoked' = IF Is(c, "held") THEN revoked \cup {m.id} ELSE revoked
          /\ UNCHANGED <<asked, net>>
  /\ UNCHANGED <<owner, mail, force, robbed, forces, forged>>

\* The reply to a renewal of the present grant.
Renewed(c, m) ==
  /\ m.k = "answer" /\ m.id = Id(c)
  /\ net' = IF Is(c, "held") /\ ~m.ok THEN WithoutRenewals(m.id) ELSE net \ {m}
  /\ IF Is(c, "held") /\ ~m.ok
     THEN /\ cl' = [cl EXCEPT ![c].st = "out"]
          /\ revoked' = IF c \in asked THEN revoked \cup {m.id} ELSE revoked
          /\ UNCHANGED asked
     ELSE /\ asked' = IF m.fresh \/ ~Keeps("only a later renewal answers a message") THEN asked \ {c} ELSE asked
          /\ UNCHANGED <<cl, revoked>>
  /\ UNCHANGED <<owner, mail, force, told, robbed, forces, forged>>

-----------------------------------------------------------------------------
(* The store. A command that is not executed is lost. *)

\* acquire.lua; a client that waits polls, which is the same command.
ExecuteAcquire(m) ==
  /\ m.k = "acq" /\ owner = None
  /\ owner' = m.id
  /\ net' = (net \ {m}) \cup {[k |-> "granted", id |-> m.id]}
  /\ UNCHANGED <<cl, asked, mail, force, told, revoked, robbed, forces, forged>>

\* renew.lua
ExecuteRenew(m) ==
  /\ m.k = "ren"
  /\ net' = (net \ {m}) \cup {Answer(m.id, m.fresh, owner = m.id)}
  /\ UNCHANGED <<owner, cl, asked, mail, force, told, revoked, robbed, forces, forged>>

\* release.lua and keep.lua. They stay under way, because their clients repeat them.
ExecuteRelease(m) ==
  /\ m.k \in {"rel", "keep"} /\ owner = m.id
  /\ owner' = IF m.k = "rel" THEN None ELSE Kept(m.id)
  /\ UNCHANGED <<cl, asked, net, mail, force, told, revoked, robbed, forces, forged>>

\* The minimum hold is over.
RunOut ==
  /\ \E c \in Clients, n \in 1..Ids : owner = Kept(<<c, n>>)
  /\ owner' = None
  /\ UNCHANGED <<cl, asked, net, mail, force, told, revoked, robbed, forces, forged>>

-----------------------------------------------------------------------------
(* The forced release, StoredLocks.forceRelease. *)

\* inspect.lua names the id, also while its lock is kept.
Inspect ==
  /\ force = NoForce /\ forces < Forces /\ owner # None
  /\ forces' = forces + 1
  /\ LET id == <<owner[1], owner[2]>>
     IN /\ force' = [step |-> "found", id |-> id]
        /\ mail' = IF Keeps("the store changes first") THEN mail ELSE mail \cup {[id |-> id, genuine |-> TRUE]}
  /\ UNCHANGED <<owner, cl, asked, net, told, revoked, robbed, forged>>

\* release.lua, by the id that was found. The command may be repeated later as any other release.
ForceRelease ==
  /\ force.step = "found"
  /\ LET named == IF Keeps("a forced release names the id") THEN force.id ELSE owner
     IN /\ net' = net \cup {[k |-> "rel", id |-> force.id]}
        /\ robbed' = (robbed \/ (owner = named /\ owner \notin {None, force.id, Kept(force.id)}))
        /\ IF owner = named
           THEN owner' = None /\ force' = [force EXCEPT !.step = "freed"]
           ELSE /\ UNCHANGED owner
                /\ force' = IF owner # None /\ Keeps("a forced release ends a minimum hold")
                            THEN [force EXCEPT !.step = "taken"]
                            ELSE [force EXCEPT !.step = "over"]
  /\ UNCHANGED <<cl, asked, mail, told, revoked, forces, forged>>

\* Another owner: it may be the id that keeps the lock.
ForceReleaseOfKept ==
  /\ force.step = "taken"
  /\ owner' = IF owner = Kept(force.id) THEN None ELSE owner
  /\ force' = [force EXCEPT !.step = "over"]
  /\ UNCHANGED <<cl, asked, net, mail, told, revoked, robbed, forces, forged>>

\* The message, by a script or by the client, or none: it was not sent, or got lost.
Publish ==
  /\ force.step = "freed"
  /\ \/ mail' = mail \cup {[id |-> force.id, genuine |-> TRUE]}
     \/ UNCHANGED mail
  /\ force' = [force EXCEPT !.step = "over"]
  /\ UNCHANGED <<owner, cl, asked, net, told, revoked, robbed, forces, forged>>

ForceAgain ==
  /\ force.step = "over"
  /\ force' = NoForce
  /\ UNCHANGED <<owner, cl, asked, net, mail, told, revoked, robbed, forces, forged>>

\* Somebody else may publish, and has seen the id.
Forge(c) ==
  /\ forged < Forged /\ cl[c].st # "out"
  /\ forged' = forged + 1
  /\ mail' = mail \cup {[id |-> Id(c), genuine |-> FALSE]}
  /\ UNCHANGED <<owner, cl, asked, net, force, told, revoked, robbed, forces>>

-----------------------------------------------------------------------------
Next ==
  \/ \E c \in Clients :
       \/ Acquire(c) \/ Granted(c) \/ Renew(c) \/ PassOn(c) \/ Release(c, "rel") \/ Release(c, "keep") \/ Forge(c)
       \/ \E m \in mail : Notified(c, m)
       \/ \E m \in net : Renewed(c, m)
  \/ \E m \in net : ExecuteAcquire(m) \/ ExecuteRenew(m) \/ ExecuteRelease(m)
  \/ RunOut \/ Inspect \/ ForceRelease \/ ForceReleaseOfKept \/ Publish \/ ForceAgain

\* No message needs to arrive.
Fairness ==
  \A c \in Clients :
    /\ WF_vars(Renew(c))
    /\ WF_vars(\E m \in net : m.id[1] = c /\ ExecuteRenew(m))
    /\ WF_vars(\E m \in net : Renewed(c, m))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
\* An owner is notified of a revocation only if the store no longer has its id: ids are never used again.
OnlyTheGoneAreRevoked == \A id \in revoked : owner # id

\* Once a message has come, its owner does not go on after a reply that has answered it.
ToldOwnersStop == \A c \in Clients : Is(c, "held") /\ Id(c) \in told => c \in asked

\* The forced release of one id ends no other grant.
OthersKeepTheirs == ~robbed

\* What was released by force has nothing left, not even a minimum hold.
ForcedIsOver == force.step = "over" => owner \notin {force.id, Kept(force.id)}

\* With or without a message, an owner whose lock is gone stops.
ForcedOwnersStop == \A c \in Clients : (Is(c, "held") /\ owner # Id(c)) ~> ~(Is(c, "held") /\ owner # Id(c))
=============================================================================
