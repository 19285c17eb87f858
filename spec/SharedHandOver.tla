--------------------------- MODULE SharedHandOver ---------------------------
(***************************************************************************)
(* Messages that are believed, of a lock in shared use: HandOver and       *)
(* Shared together.                                                        *)
(*                                                                         *)
(* Here each script may grant the lock to heads of the line: a release, a  *)
(* leave, and an acquire that removes what has expired. A message about a  *)
(* shared grant, or about one of several, is believed as in HandOver. The  *)
(* deadline of its holder takes the place of the end of the key: it is a   *)
(* claim lease after the grant, so an id that never had a base older than  *)
(* that has had no grant that has ended, whatever other holders keep the   *)
(* key and the line alive. Each grant is within the limit, or beside other *)
(* readers only, when it is made; the belief in it ends before the grant.  *)
(*                                                                         *)
(* A permit that is passed on in memory keeps its id and the end of the    *)
(* belief, as in HandOver, and so does a reader that joins before the      *)
(* renewal of the grant is answered: no steps.                             *)
(*                                                                         *)
(* Messages and answers "taken" stay in the mail until the id is over or   *)
(* the time is up in which they can be believed: they are late, repeated   *)
(* or lost, and overtake everything else, also where requests are not      *)
(* late.                                                                   *)
(***************************************************************************)
EXTENDS Shared

VARIABLES
  mail,      \* messages about grants, and answers that prove that an id did not hold
  base       \* of the ticket of each client: when the latest command was sent whose answer proved that; 0: none any more

mailVars == <<mail, base>>

\* A message about this id is believed, if it arrives.
Listens(id) == Asks(id) \/ ~Keeps("only the open ticket's")

InitMail == Init /\ mail = {} /\ base = [c \in Clients |-> 0]

-----------------------------------------------------------------------------
(* Clients. *)

\* The base, and the belief that rests on it, end a claim lease after the sending.
TickMail ==
  /\ Tick
  /\ base' = [c \in Clients |-> IF Keeps("counts from the base") /\ base[c] + Claim <= now + 1 THEN 0 ELSE base[c]]
  /\ mail' = {m \in mail : m.k = "taken" => m.sent + Claim > now + 1}

\* The mail for the id of a client that does not wait any more is ignored.
NoMailFor(c) == {m \in mail : m.id[1] = c => m.k = "wake" /\ ~Keeps("only the open ticket's")}
Ends(c) == mail' = NoMailFor(c) /\ base' = [base EXCEPT ![c] = 0]

\* A new ticket has its first base: its id was never sent before.
Begins(c) == base' = [base EXCEPT ![c] = now] /\ UNCHANGED mail
Succeeds(c, d) == mail' = NoMailFor(c) /\ base' = [base EXCEPT ![c] = 0, ![d] = now]

\* When the command was executed, the id did not hold. If the base has not ended before this answer arrives, no grant to
\* the id has expired in between, so there was none: the next grant comes after the new base.
Taken(m) ==
  LET c == m.id[1]
  IN /\ m.k = "taken" /\ Asks(m.id) /\ m.sent > base[c]
     /\ Keeps("a base that has ended is the last") => base[c] # 0
     /\ base' = [base EXCEPT ![c] = m.sent]
     /\ mail' = mail \ {m}
     /\ UNCHANGED vars

\* The message is believed, and renewed at once.
Notified(m) ==
  LET c == m.id[1]
      until == (IF Keeps("counts from the base") THEN base[c] ELSE now) + Claim
  IN
  /\ m.k = "wake" /\ Is(c, "asking")
  /\ Keeps("only the open ticket's") => Asks(m.id)
  /\ until > now
  /\ cl' = [cl EXCEPT ![c] = Client("held", cl[c].n, until, m.tok)]
  /\ net' = net \cup {RenewalOf(Id(c))}
  /\ UNCHANGED <<Store, obliged>>
  /\ Ends(c)

-----------------------------------------------------------------------------
(* The store. *)

Wake(id, token) == [k |-> "wake", id |-> id, sent |-> 0, tok |-> token]

\* To the ids that the script has granted the lock to along the line; the caller's own grant is in its reply.
Messages(caller) ==
  {Wake(id, TokenOf(db', id)) : id \in {id \in (Owners(db') \ Owners(db)) \ {caller} : Listens(id)}}

\* The answer to the caller: it is in the line, and does not hold.
TakenBy(caller, sent) ==
  IF caller # NoId /\ Stands(db', caller) /\ Asks(caller) /\ sent + Claim > now
  THEN {[k |-> "taken", id |-> caller, sent |-> sent, tok |-> 0]} ELSE {}

\* Receivers are counted before the grant. If they were counted by PUBLISH, a grant that reached none of them would be taken
\* back afterwards, which has the effect of skipping it; but a receiver at a replica, which PUBLISH does not count, has the
\* message then.
TakenBack(skipped) ==
  IF Keeps("what was reported is not taken back") THEN {}
  ELSE {Wake(id, 0) : id \in {id \in skipped : Stands(db, id) /\ ~Stands(db', id) /\ Listens(id)}}

ExecuteMail(caller, sent, skipped) ==
  /\ mail' = mail \cup Messages(caller) \cup TakenBy(caller, sent) \cup TakenBack(skipped)
  /\ UNCHANGED base

\* A script whose first write is refused: the server is a replica now, or has too few. In the design that leaves no trace,
\* so it is a step only if PUBLISH, which is refused by neither, comes before the writes.
Fails(m) ==
  /\ ~Keeps("writes before the message")
  /\ m.k \in {"acq", "rel"}
  /\ LET caller == IF m.k = "acq" THEN m.id ELSE m.next
         k == IF m.k = "acq" THEN Acquired(First(db, caller), m.id) ELSE Released(First(db, caller), m.id, caller, {})
     IN mail' = mail \cup {Wake(id, 0) : id \in {id \in (Owners(k) \ Owners(db)) \ {caller} : Listens(id)}}
  /\ net' = net \ {m}
  /\ UNCHANGED <<now, db, replays, cl, obliged, wrong, base>>

-----------------------------------------------------------------------------
NextMail ==
  \/ \E m \in net :
       \/ ExecuteAcquire(m) /\ ExecuteMail(m.id, m.sent, {})
       \/ m.k = "rel" /\ \E skipped \in Unreachable(m) :
            ExecuteRelease(m, skipped) /\ ExecuteMail(m.next, m.sent, skipped)
       \/ ExecuteRenew(m) /\ UNCHANGED mailVars
       \/ Fails(m)
  \/ ~Rushes /\
     \/ TickMail
     \/ \E c \in Clients :
          \/ Acquire(c) /\ Begins(c)
          \/ (Release(c) \/ Leave(c)) /\ Ends(c)
          \/ (AcquireAgain(c) \/ Renew(c)) /\ UNCHANGED mailVars
     \/ \E c, d \in Clients : ReleaseForNext(c, d) /\ Succeeds(c, d)
     \/ \E id \in obliged : Repeat(id) /\ UNCHANGED mailVars
     \/ \E m \in net :
          \/ Granted(m) /\ Ends(m.id[1])
          \/ Renewed(m) /\ UNCHANGED mailVars
     \/ \E m \in mail : Taken(m) \/ Notified(m)

SpecMail == InitMail /\ [][NextMail]_<<vars, mailVars>>
=============================================================================
