#include "policy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tuple>

namespace policy {
namespace {

constexpr int row_limit = 5;  // the cow counts
constexpr double mean_bullheads = 171.0 / 104;

// What card decisions look at, taken from a request.
struct View {
  std::vector<Cards> rows;
  std::vector<int> bullheads;
  Cards unknown;  // what opponents may hold, ascending
  int opponents;
  int highest;
  int cow;  // its row, or -1
};

View view_of(const Json& request) {
  View view{request.at("rows"),
            request.at("row_bullheads"),
            {},
            static_cast<int>(request.at("totals").size()) - 1,
            request.at("rules").at("highest_card"),
            -1};
  if (const auto cow = request.find("cow"); cow != request.end() && !cow->is_null()) view.cow = *cow;
  const auto hands = request.find("hands");
  if (hands != request.end() && !hands->is_null() && !hands->empty()) {
    // After a draft all hands are known; this bot still takes them for one pool.
    const std::size_t seat = request.at("seat");
    for (std::size_t other = 0; other < hands->size(); ++other)
      if (other != seat) std::copy((*hands)[other].begin(), (*hands)[other].end(), std::back_inserter(view.unknown));
    std::sort(view.unknown.begin(), view.unknown.end());
    return view;
  }
  Cards known = request.at("seen");
  const Cards hand = request.at("hand");
  known.insert(known.end(), hand.begin(), hand.end());
  for (int card = 1; card <= view.highest; ++card)
    if (std::find(known.begin(), known.end(), card) == known.end()) view.unknown.push_back(card);
  return view;
}

int count_between(const Cards& cards, int low, int high) {
  return static_cast<int>(std::lower_bound(cards.begin(), cards.end(), high) -
                          std::upper_bound(cards.begin(), cards.end(), low));
}

// Returns the bullheads that a card is expected to take in this trick.
double expected_cost(const View& view, int card) {
  const int all = static_cast<int>(view.unknown.size());
  const auto row = row_for(view.rows, card);
  if (!row) {
    // Only the lowest card of a trick has to take a row; ours would choose the cheapest.
    const int below = count_between(view.unknown, 0, card);
    const int cheapest = *std::min_element(view.bullheads.begin(), view.bullheads.end());
    return hypergeometric(all, below, view.opponents, 0) * cheapest;
  }
  const auto& cards = view.rows[*row];
  const bool with_cow = static_cast<int>(*row) == view.cow;
  const int room = std::max(0, row_limit - static_cast<int>(cards.size()) - (with_cow ? 1 : 0));
  const int between = count_between(view.unknown, cards.back(), card);
  const double sixth = hypergeometric(all, between, view.opponents, room);
  return sixth * (view.bullheads[*row] + room * mean_bullheads);
}

// Returns the bullheads that it saves later to be rid of a card. High ones land where the rows fill up, very low
// ones have to take a row one day.
double relief(const View& view, int card) {
  const double height = static_cast<double>(card) / view.highest;
  return 1.5 * std::pow(height, 3) + std::max(0.0, 1 - card / 12.0);
}

int choose_card(const Json& request) {
  const View view = view_of(request);
  const Cards choices = request.at("choices");
  const auto balance = [&](int card) { return expected_cost(view, card) - relief(view, card); };
  return *std::min_element(choices.begin(), choices.end(),
                           [&](int one, int other) { return balance(one) < balance(other); });
}

// The row that costs least, cow jumps included; of equals the one with the highest end, which is least use to others.
int choose_row(const Json& request) {
  const std::vector<Cards> rows = request.at("rows");
  const std::vector<int> costs = request.at("costs");
  const std::vector<int> choices = request.at("choices");
  const auto order = [&](int row) { return std::make_tuple(costs[row], -rows[row].back()); };
  return *std::min_element(choices.begin(), choices.end(),
                           [&](int one, int other) { return order(one) < order(other); });
}

// The card nearest to the middle of the deck, since both extremes are hard to play.
int choose_draft(const Json& request) {
  const int highest = request.at("rules").at("highest_card");
  const Cards choices = request.at("choices");
  const auto distance = [&](int card) { return std::abs(2 * card - highest); };
  return *std::min_element(choices.begin(), choices.end(),
                           [&](int one, int other) { return distance(one) < distance(other); });
}

}  // namespace

int choose(const Json& request) {
  const std::string type = request.at("type");
  if (type == "choose_card") return choose_card(request);
  if (type == "choose_row") return choose_row(request);
  if (type == "choose_draft") return choose_draft(request);
  throw std::invalid_argument("no request: " + type);
}

std::optional<std::size_t> row_for(const std::vector<Cards>& rows, int card) {
  std::optional<std::size_t> best;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].back() < card && (!best || rows[row].back() > rows[*best].back())) best = row;
  return best;
}

double hypergeometric(int all, int marked, int drawn, int hits) {
  const int misses = drawn - hits;
  if (hits < 0 || hits > marked || misses < 0 || misses > all - marked) return 0;
  const auto log_choose = [](int n, int k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  return std::exp(log_choose(marked, hits) + log_choose(all - marked, misses) - log_choose(all, drawn));
}

}  // namespace policy
