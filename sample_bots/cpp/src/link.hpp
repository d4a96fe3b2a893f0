// One connection to the referee, and the frames on it: a length in 4 bytes, big-endian, and then one msgpack map.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

// The bytes of a message, with the length in front.
Bytes frame(const Json& message);

// Takes the first message off the front of `bytes`; nothing if it is not there as a whole yet.
// Throws std::runtime_error if what came is no message.
std::optional<Json> take_message(Bytes& bytes);

// A TCP connection; it is closed when this goes out of scope.
class Link {
 public:
  // Connects within five seconds, or throws std::runtime_error.
  Link(const std::string& host, const std::string& port);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Sends one message. If the connection is at its end, `receive` will say so.
  void send(const Json& message);

  // Waits for the next message; nothing at the end of the connection, which may also come as a reset.
  std::optional<Json> receive();

 private:
  int socket_ = -1;
  Bytes received_;
};
