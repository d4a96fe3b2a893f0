// Run by `node --test`, on the vectors that come with the protocol.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { messages } from "./frames.js";
import { Habits } from "./habits.js";
import { chooseCard, rowFor } from "./policy.js";

const FOLDER = process.env.TAKE5_VECTORS ?? path.join(import.meta.dirname, "..", "..", "protocol", "vectors");
const skip = existsSync(FOLDER) ? false : "TAKE5_VECTORS does not say where the vectors of the protocol are";

function vectors(name) {
  return JSON.parse(readFileSync(path.join(FOLDER, name), "utf8"));
}

test("frames come out whole, also byte by byte, up to the first error", { skip }, async (t) => {
  for (const { name, to, chunks, messages: expected, errors } of vectors("frames.json").frames) {
    if (to !== "bot") continue;
    await t.test(name, async () => {
      const bytes = [...Buffer.from(chunks.join(""), "hex")].map((byte) => Buffer.from([byte]));
      const came = [];
      const reading = (async () => {
        for await (const message of messages(bytes)) {
          came.push(message.type);
          if (message.type === "closing") break;
        }
      })();
      await (errors[0]?.fatal ? assert.rejects(reading) : reading);
      const known = expected.map(({ type }) => type);
      assert.deepEqual(came.filter((type) => known.includes(type)), known);
    });
  }
});

test("a card goes to the row with the highest end below it", { skip }, () => {
  for (const { name, rows, placements, after } of vectors("rules.json")) {
    const [{ card, row: chosen }] = placements;
    const row = rowFor(rows, card);
    assert.equal(row < 0, chosen !== null, name);
    if (placements.length === 1 && row >= 0) assert.ok(after[row].includes(card), name);
  }
});

test("each hand of each deal gets a card of the hand, and the same one when it is asked again", { skip }, () => {
  for (const { name, deck, highest, count } of vectors("deals.json").decks) {
    const players = (count - 4) / 10;
    const seen = deck.slice(10 * players);
    for (let seat = 0; seat < players; seat++) {
      const hand = deck.slice(10 * seat, 10 * seat + 10).sort((one, other) => one - other);
      const request = { seat, hand, choices: hand, seen, rules: { highest_card: highest } };
      Object.assign(request, { rows: seen.map((card) => [card]), row_bullheads: [1, 1, 1, 1], totals: Array(players) });
      const card = chooseCard(request, new Habits().of("r1t1g1"));
      assert.ok(hand.includes(card), name);
      assert.equal(chooseCard(request, new Habits().of("r1t1g1")), card, name);
    }
  }
});

test("rows that the others crowd are under pressure, and what is told twice counts once", () => {
  const habits = new Habits();
  const rows = [[10], [20, 21], [30, 31, 32], [40, 41, 42, 43]];
  habits.follow({ type: "game_start", game: "g", seat: 0 });
  habits.follow({ type: "deal_start", game: "g", deal: 1, seq: 1, rows });
  const placements = [{ seat: 0, row: 0 }, { seat: 1, row: 3 }, { seat: 2, row: 3 }];
  const trick = { type: "trick_result", game: "g", deal: 1, seq: 2, rows, placements };
  habits.follow(trick);
  habits.follow(trick);

  // Two cards of others came to rows of four, where half a card was the fair share; 12 is the weight of doubt.
  assert.equal(habits.of("g").pressure(4), 14 / 12.5);
  assert.equal(habits.of("g").pressure(1), 12 / 12.5);
  assert.equal(habits.of("another").pressure(4), 1);
});
