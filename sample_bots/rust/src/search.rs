//! Decides by search: imagines what the others hold, plays the deal to its end with each choice, and counts.
//!
//! The number of playouts is fixed and not the time, and all chance comes from `bot_seed`: so the same request
//! has the same answer on a slow machine. The playouts of an answer take some milliseconds.

use fastrand::Rng;

use crate::Request;
use crate::table::{Row, Table};

/// Playouts for each decision, shared among its choices.
const PLAYOUTS: usize = 3000;

/// Bullheads by which the players of a playout may misjudge a card. Fitted by trial: with sharper opponents the
/// search trusts too much in what they will do, and does badly against those that play anything.
const MISJUDGEMENT: f32 = 6.0;

/// What a bullhead of all others together is worth against one of ours. Fitted by trial; 0 plays for few bullheads,
/// 1 for a lead.
const RIVALRY: f64 = 0.5;

/// Of one card of the full deck, for the cards that come into a row before ours.
const MEAN_BULLHEADS: f32 = 171.0 / 104.0;

/// The most that sit at a table, and the most cards of a hand.
const TEN: usize = 10;

/// Picks the card to play.
pub fn choose_card(request: &Request) -> u8 {
    let policy = Policy::new(request.players(), request.rules.highest_card);
    let mut hidden = request.hidden();
    best(
        &request.choices,
        request.bot_seed,
        |rng| World::imagine(request, &mut hidden, rng),
        |world, card, rng| {
            world.with_trick(Some((request.seat, card)), &policy, rng).outcome(request.seat, &policy, rng)
        },
    )
}

/// Picks the row to take, since the card played is below all rows.
pub fn choose_row(request: &Request) -> u8 {
    let policy = Policy::new(request.players(), request.rules.highest_card);
    let mut hidden = request.hidden();
    best(
        &request.choices,
        request.bot_seed,
        |rng| World::imagine(request, &mut hidden, rng),
        |world, row, rng| world.with_cards(&request.cards, Some(row)).outcome(request.seat, &policy, rng),
    )
}

/// Picks a card from the pool, in the advanced variant; the rest of the draft is imagined at random.
pub fn choose_draft(request: &Request) -> u8 {
    let policy = Policy::new(request.players(), request.rules.highest_card);
    let mut pool = request.choices.clone();
    best(
        &request.choices,
        request.bot_seed,
        |rng| {
            rng.shuffle(&mut pool);
            pool.clone()
        },
        |pool, card, rng| World::drafted(request, pool, card).outcome(request.seat, &policy, rng),
    )
}

/// Returns the choice with the fewest bullheads, by sequential halving: tries all choices alike on the same imagined
/// deals, drops the worse half, and goes on with the others.
fn best<D>(
    choices: &[u8],
    seed: u64,
    mut imagine: impl FnMut(&mut Rng) -> D,
    try_out: impl Fn(&D, u8, &mut Rng) -> f64,
) -> u8 {
    let mut rng = Rng::with_seed(seed);
    let mut field: Vec<(u8, f64)> = choices.iter().map(|&choice| (choice, 0.0)).collect();
    let rounds = choices.len().next_power_of_two().ilog2().max(1) as usize;
    while field.len() > 1 {
        for _ in 0..PLAYOUTS / rounds / field.len() {
            let deal = imagine(&mut rng);
            field.iter_mut().for_each(|(choice, sum)| *sum += try_out(&deal, *choice, &mut rng));
        }
        field.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        field.truncate(field.len().div_ceil(2));
    }
    field[0].0
}

/// One way in which the deal may go on.
#[derive(Clone, Copy)]
struct World {
    table: Table,
    /// By seat; the first `left` cards count.
    hands: [[u8; TEN]; TEN],
    left: usize,
    players: usize,
    taken: [u32; TEN],
}

impl World {
    /// Deals the others what they may hold: their hands where a draft made them known, or else any hidden cards.
    fn imagine(request: &Request, hidden: &mut [u8], rng: &mut Rng) -> Self {
        let (players, left) = (request.players(), request.hand.len());
        let mut hands = [[0; TEN]; TEN];
        rng.shuffle(hidden);
        let mut others = hidden.chunks(left.max(1));
        for (seat, hand) in hands.iter_mut().enumerate().take(players) {
            let cards = match &request.hands {
                _ if seat == request.seat => &request.hand,
                Some(known) => &known[seat][..],
                None => others.next().unwrap_or_default(),
            };
            hand[..cards.len()].copy_from_slice(cards);
        }
        let rows = std::array::from_fn(|row| Row::new(&request.rows[row]));
        Self { table: Table { rows, cow: request.cow }, hands, left, players, taken: [0; TEN] }
    }

    /// Ends the draft: our seat picks a card, the next four of the pool become the rows, all others fill the hands.
    fn drafted(request: &Request, pool: &[u8], card: u8) -> Self {
        let mut rest = pool.iter().copied().filter(|&other| other != card);
        let mut ends: Vec<u8> = rest.by_ref().take(4).collect();
        ends.sort_unstable();
        let mut hands = [[0; TEN]; TEN];
        let mut left = TEN;
        for (seat, drafted) in request.hands.iter().flatten().enumerate() {
            let ours = (seat == request.seat).then_some(card);
            let cards = drafted.iter().copied().chain(ours).chain(rest.by_ref()).take(TEN);
            left = left.min(hands[seat].iter_mut().zip(cards).map(|(place, card)| *place = card).count());
        }
        let rows = std::array::from_fn(|row| Row::new(&[ends[row]]));
        let cow = request.rules.jumping_cow.then_some(0);
        Self { table: Table { rows, cow }, hands, left, players: request.players(), taken: [0; TEN] }
    }

    /// Plays one trick, in which one seat may be told its card, and returns what it leads to.
    fn with_trick(mut self, told: Option<(usize, u8)>, policy: &Policy, rng: &mut Rng) -> Self {
        let mut cards = [0; TEN];
        for (seat, played) in cards.iter_mut().enumerate().take(self.players) {
            let hand = &mut self.hands[seat][..self.left];
            let told = told
                .filter(|&(who, _)| who == seat)
                .and_then(|(_, card)| hand.iter().position(|&c| c == card));
            let place = told.unwrap_or_else(|| policy.pick(&self.table, hand, rng));
            *played = hand[place];
            hand[place] = hand[self.left - 1];
        }
        self.left -= 1;
        self.with_cards(&cards[..self.players], None)
    }

    /// Lays the cards of a trick, by seat. Too low a card takes the row `chosen`, or the cheapest.
    fn with_cards(mut self, cards: &[u8], chosen: Option<u8>) -> Self {
        let mut order = [(0, 0); TEN];
        let order = &mut order[..cards.len()];
        order.iter_mut().zip(cards).enumerate().for_each(|(seat, (place, &card))| *place = (card, seat));
        order.sort_unstable();
        for &(card, seat) in order.iter() {
            let row = chosen.map_or_else(|| self.table.cheapest(), usize::from);
            self.taken[seat] += self.table.lay(card, row);
        }
        self
    }

    /// Plays the deal to its end and returns our bullheads from here on, less a share of what the others took.
    fn outcome(mut self, seat: usize, policy: &Policy, rng: &mut Rng) -> f64 {
        while self.left > 0 {
            self = self.with_trick(None, policy, rng);
        }
        let ours = f64::from(self.taken[seat]);
        let others = f64::from(self.taken[..self.players].iter().sum::<u32>()) - ours;
        ours - RIVALRY * others / (self.players - 1) as f64
    }
}

/// How everybody plays in a playout: cheap to compute, and sensible more often than not.
struct Policy {
    /// The probability that just so many opponents as the row has room play into so wide a gap below our card.
    filled: [[f32; 105]; 6],
    /// The bullheads that it saves later to have played a card now, as in careful.py.
    relief: [f32; 105],
}

impl Policy {
    fn new(players: usize, highest: u8) -> Self {
        let share = |card: usize| (card as f32 / f32::from(highest)).min(1.0);
        Self {
            filled: std::array::from_fn(|room| {
                std::array::from_fn(|gap| binomial(players - 1, room, share(gap)))
            }),
            relief: std::array::from_fn(|card| {
                1.5 * share(card).powi(3) + (1.0 - card as f32 / 12.0).max(0.0)
            }),
        }
    }

    /// Returns the place in a hand of the card with the best balance, as far as this player can judge.
    fn pick(&self, table: &Table, hand: &[u8], rng: &mut Rng) -> usize {
        let cheapest = table.rows[table.cheapest()].bullheads() as f32;
        let mut best = (f32::INFINITY, 0);
        for (place, &card) in hand.iter().enumerate() {
            let cost = table.row_for(card).map_or(cheapest, |row| self.expected_cost(table, row, card));
            let balance = cost - self.relief[usize::from(card)] + rng.f32() * MISJUDGEMENT;
            if balance < best.0 {
                best = (balance, place);
            }
        }
        best.1
    }

    fn expected_cost(&self, table: &Table, row: usize, card: u8) -> f32 {
        let room = table.room(row);
        let gap = usize::from(card - table.rows[row].end()) - 1;
        self.filled[room][gap] * (table.rows[row].bullheads() as f32 + room as f32 * MEAN_BULLHEADS)
    }
}

/// Returns the probability of just `hits` hits in so many trials.
fn binomial(trials: usize, hits: usize, chance: f32) -> f32 {
    if hits > trials {
        return 0.0;
    }
    let ways: f32 = (0..hits).map(|hit| (trials - hit) as f32 / (hit + 1) as f32).product();
    ways * chance.powi(hits as i32) * (1.0 - chance).powi((trials - hits) as i32)
}
