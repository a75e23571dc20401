#include "agents/drivers/grpc_call.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "fleet/base/text.h"

namespace drover::agents {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t frame_bytes = 5;  // whether it is compressed, and the length

Deadline in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(static_cast<int>(seconds * 1000));
}

/// Whether the socket is ready before the deadline.
bool wait_for(int descriptor, short events, Deadline deadline) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{descriptor, events, 0};
    const int count = poll(&waiting, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

struct Socket {
  int descriptor = -1;
  Socket() = default;
  Socket(Socket&& other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor >= 0) close(descriptor);
  }
};

template <typename Address>
Result<Socket> connect_to(const Address& address, int family, const GrpcServer& server,
                          double limit_s) {
  Socket found;
  found.descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (found.descriptor < 0) return error(ErrorKind::io, "socket: {}", std::strerror(errno));
  int code = 0;
  if (connect(found.descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    code = errno;
    if (code == EINPROGRESS) {
      if (!wait_for(found.descriptor, POLLOUT, in(limit_s))) {
        return error(ErrorKind::lost, "{}:{} does not answer within {} s", server.address,
                     server.port, limit_s);
      }
      socklen_t size = sizeof code;
      getsockopt(found.descriptor, SOL_SOCKET, SO_ERROR, &code, &size);
    }
  }
  if (code == 0) return found;
  return error(code == ECONNREFUSED ? ErrorKind::not_found : ErrorKind::lost, "{}:{}: {}",
               server.address, server.port, std::strerror(code));
}

Result<Socket> connect_to(const GrpcServer& server, double limit_s) {
  const bool is_local = server.address == "localhost";
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port);
  if (inet_pton(AF_INET, is_local ? "127.0.0.1" : server.address.c_str(), &address.sin_addr) == 1) {
    auto connected = connect_to(address, AF_INET, server, limit_s);
    // A server that resets the connection is there: the other address would say that none is.
    if (connected || !is_local || connected.error().kind != ErrorKind::not_found) return connected;
  }
  sockaddr_in6 address6{};
  address6.sin6_family = AF_INET6;
  address6.sin6_port = htons(server.port);
  if (inet_pton(AF_INET6, is_local ? "::1" : server.address.c_str(), &address6.sin6_addr) == 1) {
    auto connected = connect_to(address6, AF_INET6, server, limit_s);
    // Without IPv6 on this machine, nobody listens there either.
    if (!connected && is_local && connected.error().kind == ErrorKind::io)
      return error(ErrorKind::not_found, "{}:{}: nobody listens", server.address, server.port);
    return connected;
  }
  return error("{}: expected an IP address or localhost", excerpt(server.address));
}

/// "HTTP/2 POST" with the message in a frame.
struct Call {
  std::string request;
  std::size_t sent = 0;
  std::string response;
  int http_status = 0;
  std::optional<int> grpc_status;
  std::string grpc_message;
  bool closed = false;
};

std::string framed(std::string_view message) {
  std::string bytes(frame_bytes, '\0');
  for (std::size_t index = 0; index < 4; ++index)
    bytes[1 + index] = static_cast<char>(message.size() >> (24 - 8 * index));
  return bytes.append(message);
}

Result<std::string> message_of(const Call& call) {
  if (call.http_status == 0)
    return error(ErrorKind::io, "the server closed the call without an answer");
  if (call.http_status != 200) {
    return error(ErrorKind::io, "the server answers with HTTP status {}", call.http_status);
  }
  if (call.grpc_status.value_or(0) != 0) {
    return error(ErrorKind::refused, "gRPC status {}: {}", *call.grpc_status,
                 excerpt(call.grpc_message, 80));
  }
  const std::string& bytes = call.response;
  if (bytes.size() < frame_bytes || bytes[0] != 0) {
    return error(ErrorKind::io, "the answer is no uncompressed message of gRPC");
  }
  std::size_t length = 0;
  for (std::size_t index = 1; index < frame_bytes; ++index)
    length = length << 8 | static_cast<unsigned char>(bytes[index]);
  if (length != bytes.size() - frame_bytes) {
    return error(ErrorKind::io, "the answer has {} bytes and says {}", bytes.size() - frame_bytes,
                 length);
  }
  return bytes.substr(frame_bytes);
}

/// One connection with its calls. nghttp2 gives the bytes to send, and takes those received.
class Connection {
 public:
  Connection(Socket socket, const GrpcLimits& limits)
      : socket_(std::move(socket)), limits_(limits), deadline_(in(limits.request_s)) {}

  Status start(const GrpcServer& server, const std::string& method,
               const std::vector<std::string>& messages);
  /// Until all calls are answered.
  Status run();
  std::vector<Result<std::string>> answers() const {
    std::vector<Result<std::string>> answers;
    for (const Call& call : calls_) answers.push_back(message_of(call));
    return answers;
  }

 private:
  static Call* call_of(nghttp2_session* session, std::int32_t stream) {
    return static_cast<Call*>(nghttp2_session_get_stream_user_data(session, stream));
  }
  static ssize_t give_request(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                              std::uint32_t* flags, nghttp2_data_source* source, void*);
  static int take_header(nghttp2_session* session, const nghttp2_frame* frame,
                         const std::uint8_t* name, std::size_t name_length,
                         const std::uint8_t* value, std::size_t value_length, std::uint8_t,
                         void* self);
  static int take_data(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                       const std::uint8_t* data, std::size_t length, void* self);
  static int take_close(nghttp2_session* session, std::int32_t stream, std::uint32_t, void* self);

  Status send_waiting();
  Status receive();
  Error too_late() const {
    return error(ErrorKind::lost, "no answer within {} s", limits_.request_s);
  }

  Socket socket_;
  GrpcLimits limits_;
  Deadline deadline_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_{nullptr,
                                                                        nghttp2_session_del};
  std::vector<Call> calls_;
  std::size_t open_ = 0;
  std::size_t received_ = 0;  // of all calls, with what HTTP/2 adds
  bool too_long_ = false;
};

ssize_t Connection::give_request(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  Call& call = *static_cast<Call*>(source->ptr);
  const std::size_t count = std::min(room, call.request.size() - call.sent);
  std::copy_n(call.request.data() + call.sent, count, to);
  call.sent += count;
  if (call.sent == call.request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

int Connection::take_header(nghttp2_session* session, const nghttp2_frame* frame,
                            const std::uint8_t* name, std::size_t name_length,
                            const std::uint8_t* value, std::size_t value_length, std::uint8_t,
                            void*) {
  Call* call = call_of(session, frame->hd.stream_id);
  if (call == nullptr) return 0;
  const std::string_view key(reinterpret_cast<const char*>(name), name_length);
  const std::string text(reinterpret_cast<const char*>(value), value_length);
  if (key == ":status") call->http_status = std::atoi(text.c_str());
  if (key == "grpc-status") call->grpc_status = std::atoi(text.c_str());
  if (key == "grpc-message") call->grpc_message = text;
  return 0;
}

int Connection::take_data(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                          const std::uint8_t* data, std::size_t length, void* self) {
  Call* call = call_of(session, stream);
  if (call == nullptr) return 0;
  auto& connection = *static_cast<Connection*>(self);
  if (call->response.size() + length > connection.limits_.response_bytes_max) {
    connection.too_long_ = true;
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
  call->response.append(reinterpret_cast<const char*>(data), length);
  return 0;
}

int Connection::take_close(nghttp2_session* session, std::int32_t stream, std::uint32_t,
                           void* self) {
  Call* call = call_of(session, stream);
  if (call == nullptr || call->closed) return 0;
  call->closed = true;
  --static_cast<Connection*>(self)->open_;
  return 0;
}

Status Connection::start(const GrpcServer& server, const std::string& method,
                         const std::vector<std::string>& messages) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, take_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, take_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, take_close);
  nghttp2_session* session = nullptr;
  const int code = nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  if (code != 0) return error(ErrorKind::io, "nghttp2: {}", nghttp2_strerror(code));
  session_.reset(session);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  const std::string authority = fmt::format("{}:{}", server.address, server.port);
  const std::array<std::array<std::string_view, 2>, 6> headers = {{
      {":method", "POST"},
      {":scheme", "http"},
      {":path", method},
      {":authority", authority},
      {"content-type", "application/grpc"},
      {"te", "trailers"},
  }};
  std::vector<nghttp2_nv> fields;
  for (const auto& [name, value] : headers) {  // nghttp2 copies them and changes nothing
    fields.push_back({reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                      reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
                      value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  calls_.resize(messages.size());  // nghttp2 keeps the address of each
  for (std::size_t index = 0; index < messages.size(); ++index) {
    calls_[index].request = framed(messages[index]);
    nghttp2_data_provider provider{{.ptr = &calls_[index]}, give_request};
    const std::int32_t stream = nghttp2_submit_request(session, nullptr, fields.data(),
                                                       fields.size(), &provider, &calls_[index]);
    if (stream < 0) return error(ErrorKind::io, "nghttp2: {}", nghttp2_strerror(stream));
    ++open_;
  }
  return {};
}

Status Connection::send_waiting() {
  while (true) {
    const std::uint8_t* bytes = nullptr;
    ssize_t left = nghttp2_session_mem_send(session_.get(), &bytes);
    if (left == 0) return {};
    if (left < 0) return error(ErrorKind::io, "nghttp2: {}", nghttp2_strerror(int(left)));
    while (left > 0) {
      const ssize_t count =
          send(socket_.descriptor, bytes, static_cast<std::size_t>(left), MSG_NOSIGNAL);
      if (count > 0) {
        bytes += count;
        left -= count;
      } else if (errno == EAGAIN) {
        if (!wait_for(socket_.descriptor, POLLOUT, deadline_)) return too_late();
      } else if (errno != EINTR) {
        return error(ErrorKind::lost, "the connection ended: {}", std::strerror(errno));
      }
    }
  }
}

Status Connection::receive() {
  if (!wait_for(socket_.descriptor, POLLIN, deadline_)) return too_late();
  std::array<std::uint8_t, 16 << 10> bytes;
  const ssize_t count = recv(socket_.descriptor, bytes.data(), bytes.size(), 0);
  if (count == 0) return error(ErrorKind::lost, "the server ended the connection");
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return {};
    return error(ErrorKind::lost, "the connection ended: {}", std::strerror(errno));
  }
  received_ += static_cast<std::size_t>(count);
  const ssize_t taken =
      nghttp2_session_mem_recv(session_.get(), bytes.data(), static_cast<std::size_t>(count));
  if (too_long_ || received_ > 2 * limits_.response_bytes_max * calls_.size()) {
    return error(ErrorKind::io, "the answer has more than {} bytes", limits_.response_bytes_max);
  }
  if (taken < 0 || (open_ > 0 && nghttp2_session_want_read(session_.get()) == 0)) {
    return error(ErrorKind::io, "not an HTTP/2 server");
  }
  return {};
}

Status Connection::run() {
  while (open_ > 0) {
    DROVER_TRY(send_waiting());
    if (open_ == 0) break;
    DROVER_TRY(receive());
  }
  return {};
}

}  // namespace

Result<std::vector<Result<std::string>>> grpc_calls(const GrpcServer& server,
                                                    const std::string& method,
                                                    const std::vector<std::string>& messages,
                                                    const GrpcLimits& limits) {
  DROVER_ASSIGN(Socket socket, connect_to(server, limits.connect_s));
  Connection connection(std::move(socket), limits);
  DROVER_TRY(connection.start(server, method, messages));
  DROVER_TRY(connection.run());
  return connection.answers();
}

}  // namespace drover::agents
