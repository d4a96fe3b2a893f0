// What to play: functions of a request alone, without chance.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace policy {

using Json = nlohmann::json;
using Cards = std::vector<int>;

// Answers a request of any kind with one of its choices.
int choose(const Json& request);

// Returns the row that a card goes to, the one with the highest end below it; nothing if it is too low.
std::optional<std::size_t> row_for(const std::vector<Cards>& rows, int card);

// Returns the probability that of `drawn` cards, drawn from `all` without putting back, just `hits` are among
// the `marked` ones: the hypergeometric distribution.
double hypergeometric(int all, int marked, int drawn, int hits);

}  // namespace policy
