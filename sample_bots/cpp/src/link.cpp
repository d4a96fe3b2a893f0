#include "link.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace {

constexpr std::size_t header_bytes = 4;
constexpr std::size_t limit = 65536;
constexpr int connect_ms = 5000;

// Connects without waiting longer than that; returns 0 or an errno.
int connect_within(int fd, const addrinfo& place) {
  const int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  if (connect(fd, place.ai_addr, place.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd ready{fd, POLLOUT, 0};
    if (poll(&ready, 1, connect_ms) != 1) return ETIMEDOUT;
    int failure = 0;
    socklen_t size = sizeof failure;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure != 0) return failure;
  }
  fcntl(fd, F_SETFL, flags);
  return 0;
}

}  // namespace

Bytes frame(const Json& message) {
  const Bytes payload = Json::to_msgpack(message);
  Bytes bytes(header_bytes + payload.size());
  for (std::size_t place = 0; place < header_bytes; ++place)
    bytes[place] = static_cast<std::uint8_t>(payload.size() >> (8 * (header_bytes - 1 - place)));
  std::copy(payload.begin(), payload.end(), bytes.begin() + header_bytes);
  return bytes;
}

std::optional<Json> take_message(Bytes& bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t place = 0; place < header_bytes; ++place) length = length << 8 | bytes[place];
  if (length < 1 || length > limit) throw std::runtime_error("a frame of " + std::to_string(length) + " bytes");
  if (bytes.size() < header_bytes + length) return std::nullopt;
  const auto begin = bytes.begin() + header_bytes;
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  Json message = Json::from_msgpack(begin, end, /*strict=*/true, /*allow_exceptions=*/false);
  if (!message.is_object()) throw std::runtime_error("a frame that is no msgpack map");
  bytes.erase(bytes.begin(), end);
  return message;
}

Link::Link(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failure = getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
    throw std::runtime_error(gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> places(found, freeaddrinfo);
  int failure = 0;
  for (const addrinfo* place = found; place != nullptr; place = place->ai_next) {
    socket_ = socket(place->ai_family, place->ai_socktype | SOCK_CLOEXEC, place->ai_protocol);
    failure = socket_ < 0 ? errno : connect_within(socket_, *place);
    if (failure == 0) {
      const int on = 1;
      setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return;
    }
    if (socket_ >= 0) close(socket_);
  }
  throw std::runtime_error(std::strerror(failure));
}

Link::~Link() { close(socket_); }

void Link::send(const Json& message) {
  const Bytes bytes = frame(message);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

std::optional<Json> Link::receive() {
  while (true) {
    if (auto message = take_message(received_)) return message;
    std::array<std::uint8_t, 4096> buffer;
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    received_.insert(received_.end(), buffer.begin(), buffer.begin() + count);
  }
}
