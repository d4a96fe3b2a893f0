//! The rows on the table and how cards are laid on them: rules R1 and R3 to R6 of SPEC.md, and R13 for the cow.
//!
//! A bot can do without all this, since a request tells what it needs to know. To look ahead takes a copy of
//! the rules; the tests hold it against `protocol/vectors/rules.json`.

/// What a row holds; the cow counts.
pub const ROW_LIMIT: usize = 5;

/// One row: small and without a heap, since a search copies many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    cards: [u8; ROW_LIMIT],
    len: usize,
    bullheads: u32,
}

impl Row {
    pub fn new(cards: &[u8]) -> Self {
        let mut row = Self::default();
        for &card in cards {
            row.push(card);
        }
        row
    }

    pub fn end(&self) -> u8 {
        self.cards[self.len - 1]
    }

    pub fn bullheads(&self) -> u32 {
        self.bullheads
    }

    fn push(&mut self, card: u8) {
        self.cards[self.len] = card;
        self.len += 1;
        self.bullheads += bullheads(card);
    }
}

/// The four rows, and the row where the cow stands if there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    pub rows: [Row; 4],
    pub cow: Option<usize>,
}

impl Table {
    /// Returns the row that a card goes to, the one with the highest end below it; none if it is too low (R4).
    pub fn row_for(&self, card: u8) -> Option<usize> {
        (0..4).filter(|&row| self.rows[row].end() < card).max_by_key(|&row| self.rows[row].end())
    }

    /// Returns for how many more cards a row has room.
    pub fn room(&self, row: usize) -> usize {
        (ROW_LIMIT - self.rows[row].len).saturating_sub(usize::from(self.cow == Some(row)))
    }

    /// Returns the row with the fewest bullheads, the first of equals.
    pub fn cheapest(&self) -> usize {
        (0..4).min_by_key(|&row| self.rows[row].bullheads()).unwrap_or(0)
    }

    /// Lays a card and returns the bullheads that it takes; if it is too low, it takes the row `chosen`.
    pub fn lay(&mut self, card: u8, chosen: usize) -> u32 {
        let fitting = self.row_for(card);
        let row = fitting.unwrap_or(chosen);
        let mut taken = 0;
        if fitting.is_some() && self.room(row) > 0 {
            self.rows[row].push(card);
        } else {
            taken = self.rows[row].bullheads();
            self.rows[row] = Row::new(&[card]);
        }
        if self.cow == Some(row) { taken + self.jump(row) } else { taken }
    }

    /// Moves the cow on from a row, over full ones, and returns the bullheads that this takes (R13d, R13e).
    fn jump(&mut self, mut from: usize) -> u32 {
        let mut taken = 0;
        loop {
            let others = (0..4).filter(|&row| row != from);
            let to = others.min_by_key(|&row| self.rows[row].end()).unwrap_or(from);
            self.cow = Some(to);
            let row = self.rows[to];
            if row.len < ROW_LIMIT {
                return taken;
            }
            taken += row.bullheads() - bullheads(row.end());
            self.rows[to] = Row::new(&[row.end()]);
            from = to;
        }
    }
}

/// Returns the bullheads on a card (R1).
pub fn bullheads(card: u8) -> u32 {
    let special = [(55_u8, 7), (11, 5), (10, 3), (5, 2)];
    special.into_iter().find(|&(divisor, _)| card.is_multiple_of(divisor)).map_or(1, |(_, heads)| heads)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn cards(value: &Value) -> Vec<u8> {
        serde_json::from_value(value.clone()).expect("an array of cards")
    }

    fn row(value: &Value) -> Option<usize> {
        value.as_u64().map(|row| row as usize)
    }

    fn laid_out(rows: &Value, cow: &Value) -> Table {
        Table { rows: std::array::from_fn(|place| Row::new(&cards(&rows[place]))), cow: row(cow) }
    }

    /// Each position of the referee's own vectors, those with the cow included, comes out as it says.
    #[test]
    fn cards_are_laid_as_the_referee_lays_them() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../protocol/vectors/rules.json");
        let Ok(text) = fs::read_to_string(&file) else {
            eprintln!("Skipped: this bot was copied away from the referee, whose vectors it is tested with.");
            return;
        };
        let positions: Vec<Value> = serde_json::from_str(&text).expect("an array of positions");
        assert!(!positions.is_empty());
        for position in positions {
            let mut table = laid_out(&position["rows"], &position["cow"]);
            let mut taken = [0; 10];
            for placement in position["placements"].as_array().expect("an array") {
                let player = placement["player"].as_u64().expect("a number") as usize;
                let card = placement["card"].as_u64().expect("a card") as u8;
                taken[player] += table.lay(card, row(&placement["row"]).unwrap_or(0));
            }

            let mut expected = [0; 10];
            for take in position["takes"].as_array().expect("an array") {
                let player = take["player"].as_u64().expect("a number") as usize;
                expected[player] += take["bullheads"].as_u64().expect("a number") as u32;
            }
            let after = laid_out(&position["after"], &position["cow_after"]);
            assert_eq!((after, expected), (table, taken), "{}", position["name"]);
        }
    }

    /// A whole deck has 171 bullheads (R1).
    #[test]
    fn bullheads_add_up() {
        assert_eq!(171, (1..=104).map(bullheads).sum::<u32>());
        assert_eq!([7, 5, 3, 2, 1], [55, 11, 50, 45, 52].map(bullheads));
    }
}
