// Tests of the frames and the policy; prints what failed. The argument is the directory of the referee's vectors.

#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "link.hpp"
#include "policy.hpp"

namespace {

int failed = 0;

void check(bool holds, const std::string& what) {
  if (holds) return;
  ++failed;
  std::cerr << "Failed: " << what << '\n';
}

Json load(const std::string& file) {
  std::ifstream in(file);
  return in ? Json::parse(in) : Json();
}

Bytes from_hex(const std::string& hex) {
  Bytes bytes;
  for (std::size_t place = 0; place < hex.size(); place += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(place, 2), nullptr, 16)));
  return bytes;
}

// Frames in which nothing is wrong are read as the referee reads them, in whatever pieces they come.
void frames_are_read(const Json& vectors) {
  for (const auto& vector : vectors.at("frames")) {
    if (!vector.at("errors").empty()) continue;
    Bytes received;
    std::vector<Json> messages;
    for (const auto& chunk : vector.at("chunks")) {
      const Bytes bytes = from_hex(chunk);
      received.insert(received.end(), bytes.begin(), bytes.end());
      while (messages.size() < vector.at("messages").size()) {
        auto message = take_message(received);
        if (!message) break;
        messages.push_back(*message);
      }
    }
    const std::string name = vector.at("name");
    check(messages.size() == vector.at("messages").size(), name);
    check(received.size() == vector.at("waiting"), name + ": bytes that wait");
    for (std::size_t place = 0; place < messages.size(); ++place)
      for (const auto* key : {"type", "request", "card", "row"})
        if (vector.at("messages")[place].contains(key))
          check(messages[place].value(key, Json()) == vector.at("messages")[place][key], name + ": " + key);
  }
}

// A card goes where it goes in the referee's positions: the row of a placement is given only where it is chosen.
void rows_are_found(const Json& positions) {
  for (const auto& position : positions) {
    const auto& first = position.at("placements").at(0);
    const auto row = policy::row_for(position.at("rows"), first.at("card"));
    check(row.has_value() == first.at("row").is_null(), position.at("name"));
  }
}

void bad_frames_are_refused() {
  for (const auto* hex : {"00010001", "00000000", "0000000105", "000000028005"}) {
    Bytes bytes = from_hex(hex);
    try {
      take_message(bytes);
      check(false, std::string("refusing ") + hex);
    } catch (const std::runtime_error&) {
    }
  }
}

// The bytes that SPEC.md shows for a ping; keys may come in any order, here sorted.
void messages_are_framed() {
  const Bytes expected = from_hex("0000001382a46563686fcd012ca474797065a470696e67");
  check(frame({{"type", "ping"}, {"echo", 300}}) == expected, "the frame of a ping");
}

// Of 10 cards 4 are marked and 3 drawn: C(4,1) C(6,2) / C(10,3) = 4 * 15 / 120 for just one hit.
void probabilities_are_exact() {
  check(std::abs(policy::hypergeometric(10, 4, 3, 1) - 0.5) < 1e-12, "half of all draws hit once");
  check(policy::hypergeometric(10, 2, 3, 3) == 0, "no more hits than marked cards");
  double sum = 0;
  for (int hits = 0; hits <= 3; ++hits) sum += policy::hypergeometric(90, 20, 3, hits);
  check(std::abs(sum - 1) < 1e-12, "some number of hits is certain");
}

// Rows with room and a close fit: 32 can cost nothing worth speaking of, 75 takes a full row for sure.
void a_safe_card_is_played() {
  const Json request{{"type", "choose_card"},
                     {"rules", {{"highest_card", 104}}},
                     {"rows", {{10}, {30, 31}, {50}, {70, 71, 72, 73, 74}}},
                     {"row_bullheads", {3, 4, 3, 6}},
                     {"totals", {0, 0, 0}},
                     {"seen", {10, 30, 31, 50, 70, 71, 72, 73, 74}},
                     {"hand", {32, 75}},
                     {"choices", {32, 75}}};
  check(policy::choose(request) == 32, "a safe card is played");
}

void the_cheapest_row_is_taken() {
  const Json request{{"type", "choose_row"},
                     {"rows", {{10}, {30}, {50}, {70}}},
                     {"costs", {3, 1, 1, 2}},
                     {"choices", {0, 1, 2, 3}}};
  check(policy::choose(request) == 2, "of the cheapest rows the one with the highest end is taken");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string directory = count > 1 ? arguments[1] : ".";
  const Json frames = load(directory + "/frames.json"), positions = load(directory + "/rules.json");
  if (frames.is_null() || positions.is_null()) {
    std::cout << "Skipped the vectors: this bot was copied away from the referee.\n";
  } else {
    frames_are_read(frames);
    rows_are_found(positions);
  }
  bad_frames_are_refused();
  messages_are_framed();
  probabilities_are_exact();
  a_safe_card_is_played();
  the_cheapest_row_is_taken();
  std::cout << (failed == 0 ? "All tests passed.\n" : "Some tests failed.\n");
  return failed == 0 ? 0 : 1;
}
