// What to play. Each decision follows from the request, and that of a card also from the habits of the others.

import { fullness } from "./habits.js";

const ROW_LIMIT = 5;
// Of one card of the full deck.
const MEAN_BULLHEADS = 171 / 104;

/** Return the card that is likely to cost least, what it costs to keep it included. */
export function chooseCard(request, habits) {
  return best(request.choices, (card) => expectedCost(request, habits, card) - relief(request, card));
}

/** Return the cheapest row; of equals the longest, so that it is gone. */
export function chooseRow({ choices, costs, rows }) {
  return best(choices, (row) => costs[row] - rows[row].length / 10);
}

/** Return the card nearest to the middle of the deck, since both extremes are hard to play. */
export function chooseDraft({ choices, rules }) {
  return best(choices, (card) => Math.abs(card - rules.highest_card / 2));
}

/** Return the index of the row that a card goes to, the one with the highest end below it; -1 if it is too low. */
export function rowFor(rows, card) {
  const ends = rows.map((row) => row.at(-1));
  return ends.reduce((found, end, row) => (end < card && (found < 0 || end > ends[found]) ? row : found), -1);
}

/** Return the bullheads that a card is expected to take in this trick. */
function expectedCost(request, habits, card) {
  const { rows, row_bullheads: heads, cow, totals } = request;
  const opponents = totals.length - 1;
  const unseen = unseenCards(request);
  const row = rowFor(rows, card);
  if (row < 0) {
    // Only the lowest card of a trick has to take a row; ours would take the cheapest.
    const higher = unseen.filter((other) => other > card).length;
    return Math.min(...heads) * (higher / Math.max(1, unseen.length)) ** opponents;
  }
  const length = fullness(rows[row], row === cow);
  const room = ROW_LIMIT - length;
  const between = unseen.filter((other) => rows[row].at(-1) < other && other < card).length;
  const share = between / Math.max(1, unseen.length);
  const fills = Math.min(1, share * habits.pressure(length));
  return atLeast(room, opponents, fills) * (heads[row] + room * MEAN_BULLHEADS);
}

/** Return the cards that others may hold: those of their hands, where a draft showed them, or all not seen. */
function unseenCards({ hands, seat, seen, hand, rules }) {
  if (hands?.length) return hands.flatMap((cards, other) => (other === seat ? [] : cards));
  const known = new Set([...seen, ...hand]);
  return Array.from({ length: rules.highest_card }, (_, index) => index + 1).filter((card) => !known.has(card));
}

/** Return the probability that of so many opponents at least `least` do what each does with a probability. */
function atLeast(least, opponents, probability) {
  let chances = [1];
  for (let opponent = 0; opponent < opponents; opponent++) {
    const [stay, grow] = [[...chances, 0], [0, ...chances]];
    chances = stay.map((chance, count) => chance * (1 - probability) + grow[count] * probability);
  }
  return chances.slice(least).reduce((sum, chance) => sum + chance, 0);
}

/** Return the bullheads that it saves later to be rid of a card: the highest and the lowest are the worst to keep. */
function relief({ rules }, card) {
  return 1.5 * (card / rules.highest_card) ** 3 + Math.max(0, 1 - card / 12);
}

/** Return the choice with the lowest value, the first of equals. */
function best(choices, value) {
  const values = choices.map(value);
  return choices[values.indexOf(Math.min(...values))];
}
