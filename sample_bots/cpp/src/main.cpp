// Plays as the environment says until told to end, and comes back whenever the connection breaks.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "link.hpp"
#include "policy.hpp"

namespace {

using std::chrono::milliseconds;

// Milliseconds before each attempt to come back: twice as long each time, up to 5 s, and a minute in all.
constexpr std::array<int, 17> waits{100,  200,  400,  800,  1600, 3200, 5000, 5000, 5000,
                                    5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000};

// For each type of request the type of the answer, and its field that holds the decision.
const std::map<std::string, std::pair<std::string, std::string>> answers{
    {"choose_card", {"card", "card"}}, {"choose_row", {"row", "row"}}, {"choose_draft", {"draft", "card"}}};

// Errors after which trying again changes nothing.
bool is_hopeless(const std::string& code) {
  static const std::array<std::string, 4> codes{"unsupported_version", "unknown_entrant", "name_taken",
                                                "registration_closed"};
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// Errors that end a connection, but for two that are like a broken one, are bugs of the bot.
bool is_bug(const std::string& code) {
  return !code.empty() && code != "handshake_timeout" && code != "too_many_connections";
}

std::string setting(const char* key) {
  if (const char* value = std::getenv(key)) return value;
  throw std::runtime_error(std::string(key) + " is not set: the referee sets it when it starts a bot.");
}

// Plays on one connection; returns the closing or fatal error that ended it, or an empty map if it broke.
Json play(Link& link, const Json& hello, bool& welcomed) {
  link.send(hello);
  while (const auto message = link.receive()) {
    const std::string type = message->value("type", "");
    if (const auto answer = answers.find(type); answer != answers.end()) {
      const auto& [kind, field] = answer->second;
      link.send({{"type", kind}, {"request", message->at("request")}, {field, policy::choose(*message)}});
    } else if (type == "welcome") {
      welcomed = true;
    } else if (type == "error") {
      std::cerr << message->at("message").get<std::string>() << '\n';
    }
    if (type == "closing" || (type == "error" && message->at("fatal"))) return *message;
    // All else may be ignored, and what this bot has never heard of must be.
  }
  return Json::object();
}

Json connect_and_play(const std::string& host, const std::string& port, const Json& hello, bool& welcomed) {
  try {
    Link link(host, port);
    return play(link, hello, welcomed);
  } catch (const std::exception& failure) {
    std::cerr << "The connection to the referee failed: " << failure.what() << ".\n";
    return Json::object();
  }
}

// Plays until told to end; throws std::runtime_error if it gives up.
void run() {
  const auto host = setting("TAKE5_HOST"), port = setting("TAKE5_PORT");
  const Json hello{{"type", "hello"},
                   {"name", setting("TAKE5_NAME")},
                   {"secret", setting("TAKE5_SECRET")},
                   {"versions", Json::array({1})},
                   {"client", "exact"}};
  std::size_t failures = 0;
  int bugs = 0;
  while (true) {
    bool welcomed = false;
    const Json end = connect_and_play(host, port, hello, welcomed);
    if (welcomed) failures = 0;
    if (end.value("type", "") == "closing") {
      const auto retry_ms = end.find("retry_ms");
      if (retry_ms == end.end() || retry_ms->is_null()) return;
      std::this_thread::sleep_for(milliseconds(retry_ms->get<std::int64_t>()));
      continue;
    }
    const std::string code = end.value("code", "");
    bugs = is_bug(code) ? bugs + 1 : 0;
    if (bugs == 3 || is_hopeless(code) || failures == waits.size())
      throw std::runtime_error("This bot gives up on the referee at " + host + ", port " + port + ".");
    std::this_thread::sleep_for(milliseconds(waits[failures++]));
  }
}

}  // namespace

int main() {
  try {
    run();
    return EXIT_SUCCESS;
  } catch (const std::exception& why) {
    std::cerr << why.what() << '\n';
    return EXIT_FAILURE;
  }
}
