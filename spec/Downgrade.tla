----------------------------- MODULE Downgrade -----------------------------
(***************************************************************************)
(* A writer that becomes a reader without letting go of the lock.          *)
(*                                                                         *)
(* The thread that writes reads as well, in memory, and then ends the      *)
(* write lock. From then on its JVM only reads: until the store has        *)
(* answered on the lease of the writer, and then on that of the reader,    *)
(* which may be shorter. The request is late, lost, repeated and replayed  *)
(* like all others, and so are those that were sent before under the       *)
(* writer's id.                                                            *)
(***************************************************************************)
EXTENDS Shared

CONSTANTS
  ReadLease,  \* ticks
  Passes      \* hand-overs in memory to other writers, each with the next token

DowngradeOf(id, token) == [k |-> "down", id |-> id, last |-> token, sent |-> now]
Reads(c) == Is(c, "reads") /\ now < cl[c].until
Reading(c) == ReaderOf(Id(c))

-----------------------------------------------------------------------------
(* Clients. *)

\* As in LeaseLock: to another writer of this JVM.
PassOn(c) ==
  /\ c \in Writers /\ Believes(c) /\ cl[c].tok < db.f + Passes
  /\ cl' = [cl EXCEPT ![c].tok = @ + 1]
  /\ UNCHANGED <<Store, net, obliged>>

\* The write lock ends, and what it was granted goes on as a read lock.
Downgrade(c) ==
  /\ c \in Writers /\ Believes(c)
  /\ cl' = [cl EXCEPT ![c].st = "reads"]
  /\ net' = AfterEndOf(Id(c)) \cup {DowngradeOf(Id(c), cl[c].tok)}
  /\ UNCHANGED <<Store, obliged>>

DowngradeAgain(c) ==
  /\ Reads(c) /\ MaySend("down", Id(c))
  /\ net' = net \cup {DowngradeOf(Id(c), cl[c].tok)}
  /\ UNCHANGED <<Store, cl, obliged>>

\* The lease counts from the sending, and the token is that of the writer.
Downgraded(r) ==
  /\ r.k = "downgraded" /\ Id(r.id[1]) = r.id /\ Reads(r.id[1])
  /\ cl' = [cl EXCEPT ![r.id[1]].until = Max(@, r.sent + ReadLease)]
  /\ net' = net \ {r}
  /\ wrong' = wrong \cup (IF r.tok < cl[r.id[1]].tok THEN {"token"} ELSE {})
  /\ UNCHANGED <<now, db, replays, obliged>>

\* The reader's end. What the downgrade, or an acquire before it, may still do is taken back under both names.
EndReading(c) ==
  /\ Is(c, "reads")
  /\ cl' = [cl EXCEPT ![c] = Client("idle", cl[c].n, 0, @.tok)]
  /\ LET ids == {Reading(c)} \cup (IF Keeps("released under both names") THEN {Id(c)} ELSE {})
     IN /\ net' = {IF m.k = "down" /\ m.id = Id(c) THEN [m EXCEPT !.sent = 0] ELSE m : m \in AfterEndOf(Id(c))}
                    \cup {ReleaseOf(id, NoId) : id \in ids}
        /\ obliged' = obliged \cup ids
  /\ UNCHANGED Store

-----------------------------------------------------------------------------
(* The store. *)

\* downgrade.lua. Its deadline is never before that of the writer, on which the client relies until the answer.
DowngradedKey(k, id, last) ==
  LET reader == ReaderOf(id)
      deadline == IF Keeps("a downgrade never shortens") THEN Max(k.exp, now + ReadLease) ELSE now + ReadLease
      token == IF Keeps("keeps the last token") THEN Max(k.f, last) ELSE k.f
      looped(l) == IF Keeps("a downgrade runs the loop") THEN Loop(l, {}) ELSE l
  IN IF k.o = id
     THEN looped([k EXCEPT !.o = <<"readers">>, !.f = token, !.h = reader :> Holder(deadline, token)])
     ELSE IF IsHolder(k, reader) /\ Keeps("a repetition sets the lease again")
     THEN Loop([k EXCEPT !.h[reader].dl = Max(@, now + ReadLease)], {})
     ELSE k

ExecuteDowngrade(m) ==
  /\ m.k = "down"
  /\ LET k == Written(DowngradedKey(First(db, NoId), m.id, m.last))
         has == ReaderOf(m.id) \in Owners(k) /\ m.sent + ReadLease > now /\ Is(m.id[1], "reads") /\ Id(m.id[1]) = m.id
     IN Becomes(m, k, IF has THEN Answer("downgraded", m.id, m.sent, k.h[ReaderOf(m.id)].tok) ELSE {},
                ReaderOf(m.id) \in Owners(k))
  /\ UNCHANGED obliged

\* acquire.lua: the id of a writer that reads does not join the line behind itself.
ExecuteAcquireBeside(m) ==
  IF Keeps("a downgraded id does not wait") /\ m.k = "acq" /\ ReaderOf(m.id) \in Owners(db)
  THEN Becomes(m, Written(Loop(First(db, NoId), {})), {}, TRUE) /\ UNCHANGED obliged
  ELSE ExecuteAcquire(m)

-----------------------------------------------------------------------------
NextDowngraded ==
  \/ \E m \in net :
       \/ ExecuteAcquireBeside(m) \/ ExecuteRenew(m) \/ ExecuteDowngrade(m)
       \/ ExecuteRelease(m, {})
  \/ ~Rushes /\ \/ Others
                \/ \E c \in Clients : PassOn(c) \/ Downgrade(c) \/ DowngradeAgain(c) \/ EndReading(c)
                \/ \E m \in net : Downgraded(m)

SpecDowngraded == Init /\ [][NextDowngraded]_vars

-----------------------------------------------------------------------------
(* What must hold besides. *)

\* Promise 1: a reader that was a writer has no writer beside it.
ReadsBesideNoWriter == \A c \in Clients : Reads(c) => \A d \in Writers \ {c} : ~Believes(d)

\* Promise 2
ReadingEndsFirst ==
  \A c \in Clients : Reads(c) =>
    \/ db.o = Id(c) /\ cl[c].until <= db.exp
    \/ Reading(c) \in Live(db) /\ IsShared(db) /\ cl[c].until <= db.h[Reading(c)].dl

\* Promise 5
TokenStays ==
  /\ "token" \notin wrong
  /\ "tokens" \in Features => \A c \in Clients : Reads(c) => \A d \in Writers \ {c} : cl[d].tok < cl[c].tok

NoReaderIsForgotten ==
  \A c \in Clients : \A n \in 1..Ids :
    ReaderOf(<<c, n>>) \in Owners(db) => ReaderOf(<<c, n>>) \in obliged \/ (cl[c].n = n /\ Is(c, "reads"))

ReadingDoesNotWait == \A id \in Owners(db) : Len(id) = 3 => ~Stands(db, <<id[1], id[2]>>)
=============================================================================
