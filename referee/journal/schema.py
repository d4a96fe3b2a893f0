"""The tables of a journal, version by version."""

APPLICATION_ID = 0x54354A31
"""Marks the file as ours: "T5J1"."""

VERSION = 1
"""The `user_version` of the schema below."""

OLDEST_SQLITE = (3, 37, 0)
"""The first SQLite with STRICT tables."""

COMPLETE = "complete"
"""The ending of a tournament of which all was played."""

CUT_SHORT = "cut short"
"""The ending of one that the organiser ended before."""

PAUSE, CONTINUE, VOID = "pause", "continue", "void"
"""Kinds of entries of the log: no further games are to start; they start again; a round is played again."""

SHARES = 5040
"""Points of a game are kept in whole 5040ths: a table of up to ten has shares with denominators 2 to 18."""

SCHEMA = """
CREATE TABLE tournament (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    command     TEXT NOT NULL,                       -- run-local, serve, compare
    setup       TEXT NOT NULL,                       -- JSON: what the tournament is made from
    seed        TEXT NOT NULL,
    nonce       BLOB NOT NULL,
    commitment  TEXT NOT NULL,
    pairing     INTEGER NOT NULL,                    -- version of the pairing method
    ending      TEXT,                                -- complete, cut short; NULL while it goes on
    digest      TEXT                                 -- over all games, once it has ended
) STRICT;
CREATE TABLE sessions (                              -- each run of the referee on this journal
    id          INTEGER PRIMARY KEY,
    begun_at    TEXT NOT NULL,
    first_step  INTEGER NOT NULL,                    -- no step of it has a lower id
    first_fault INTEGER NOT NULL                     -- no fault of it has a lower id
) STRICT;
CREATE TABLE entrants (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    entered     INTEGER NOT NULL,                    -- the first round it can take part in
    out_after   INTEGER,                             -- the last round planned when it left; NULL: it is in
    reason      TEXT
) STRICT;
CREATE TABLE bots (                                  -- instances known by a secret
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    proof       TEXT NOT NULL,                       -- SHA-256 of the secret
    UNIQUE (name, proof)
) STRICT;
CREATE TABLE rounds (
    number      INTEGER PRIMARY KEY,
    byes        TEXT NOT NULL,                       -- JSON: names
    notes       TEXT NOT NULL,                       -- JSON: sentences
    voided      INTEGER NOT NULL DEFAULT 0           -- how often
) STRICT;
CREATE TABLE seatings (
    id          INTEGER PRIMARY KEY,
    round       INTEGER NOT NULL REFERENCES rounds,
    table_no    INTEGER NOT NULL,
    names       TEXT NOT NULL,                       -- JSON: names by seat in its first game
    UNIQUE (round, table_no)
) STRICT;
CREATE TABLE games (
    id          INTEGER PRIMARY KEY,
    seating     INTEGER NOT NULL REFERENCES seatings,
    deal_set    INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    first_step  INTEGER NOT NULL,                    -- no step of this game has a lower id
    void        INTEGER NOT NULL DEFAULT 0,
    UNIQUE (seating, number)
) STRICT;
CREATE TABLE steps (                                 -- the hot table: only appended to
    id          INTEGER PRIMARY KEY,
    game        INTEGER NOT NULL REFERENCES games,
    data        BLOB NOT NULL
) STRICT;
CREATE TABLE faults (
    id          INTEGER PRIMARY KEY,
    game        INTEGER NOT NULL REFERENCES games,
    seat        INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    after_step  INTEGER NOT NULL                     -- id of the last step of any game before it
) STRICT;
CREATE TABLE stray_faults (                          -- those that belong to no game
    entrant     INTEGER NOT NULL REFERENCES entrants,
    kind        TEXT NOT NULL,
    count       INTEGER NOT NULL,
    PRIMARY KEY (entrant, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE results (
    game        INTEGER PRIMARY KEY REFERENCES games,
    last_step   INTEGER NOT NULL,
    digest      TEXT NOT NULL,                       -- of the record
    course      TEXT NOT NULL,                       -- digest of the record without its first line
    steps       TEXT NOT NULL,                       -- SHA-256 over the data of its steps
    delay_ns    INTEGER NOT NULL
) STRICT;
CREATE TABLE seat_results (
    game        INTEGER NOT NULL REFERENCES results,
    seat        INTEGER NOT NULL,
    entrant     INTEGER NOT NULL REFERENCES entrants,
    bullheads   TEXT NOT NULL,                       -- JSON: by deal
    deals       INTEGER NOT NULL,
    total       INTEGER NOT NULL,                    -- bullheads of the game
    forfeited   INTEGER NOT NULL,
    no_show     INTEGER NOT NULL,
    won         INTEGER NOT NULL,                    -- alone or with others
    share       INTEGER NOT NULL,                    -- points, in 5040ths
    faults      TEXT NOT NULL,                       -- JSON: counts by kind
    took        BLOB NOT NULL,                       -- counts of answer times, see seatrows.py
    slowest_ns  INTEGER,                             -- the longest of them
    PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;
CREATE TABLE standings (                             -- how it ended
    name        TEXT PRIMARY KEY,
    rank        INTEGER NOT NULL,
    points      TEXT NOT NULL,                       -- exact, such as 13/3
    games       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE log (                                   -- what the organiser said, and the like
    id          INTEGER PRIMARY KEY,
    at          TEXT NOT NULL,
    kind        TEXT NOT NULL,
    data        TEXT NOT NULL                        -- JSON
) STRICT;
"""
