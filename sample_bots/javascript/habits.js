// What the others do: on rows of which length they lay their cards, game by game.

const LONGEST = 5;
// So many cards must have been seen before they count as much as the assumption that all rows are alike.
const DOUBT = 12;
// The events that say how the rows stand.
const LAYS_OUT = new Set(["deal_start", "draft_end", "trick_result"]);

/** The memory of one game. */
class Game {
  #laid = Array(LONGEST + 1).fill(0);
  #fair = Array(LONGEST + 1).fill(0);
  #rows = [];
  #cow = null;
  #latest = [0, 0];
  #seat;

  constructor(seat) {
    this.#seat = seat;
  }

  /** Return how much more than their share rows of a length get: 1 is a fair share, 2 is twice as much. */
  pressure(length) {
    return (this.#laid[length] + DOUBT) / (this.#fair[length] + DOUBT);
  }

  /** Take in an event, once: after a return the referee tells those of the deal again. */
  follow({ type, deal, seq, rows, cow, placements }) {
    if (deal < this.#latest[0] || (deal === this.#latest[0] && seq <= this.#latest[1])) return;
    this.#latest = [deal, seq];
    if (type === "trick_result" && this.#rows.length) this.#count(placements);
    if (LAYS_OUT.has(type)) [this.#rows, this.#cow] = [rows, cow];
  }

  #count(placements) {
    const lengths = this.#rows.map((row, index) => fullness(row, index === this.#cow));
    const others = placements.filter(({ seat }) => seat !== this.#seat);
    for (const { row } of others) this.#laid[lengths[row]]++;
    for (const length of lengths) this.#fair[length] += others.length / lengths.length;
  }
}

/** The memories of all games that are under way on this connection, or were when it broke. */
export class Habits {
  #games = new Map();

  /** Take in whatever the referee says; most of it is none of our business. */
  follow(message) {
    if (message.type === "game_start" && !this.#games.has(message.game)) {
      this.#games.set(message.game, new Game(message.seat));
    } else if (message.type === "game_end") {
      this.#games.delete(message.game);
    } else if (message.seq != null) {
      this.#games.get(message.game)?.follow(message);
    }
  }

  /** Return what is known of a game, which may be nothing. */
  of(game) {
    return this.#games.get(game) ?? new Game();
  }
}

/** Return how many places of a row are taken; the cow takes one. */
export function fullness(row, hasCow) {
  return row.length + (hasCow ? 1 : 0);
}
