// A client of gRPC, as much of it as libtpu's metric service needs: unary calls without encryption.
//
// gRPC is HTTP/2 with a frame of five bytes around each message; the library nghttp2 does the
// HTTP/2. Linking gRPC itself would load some 30 libraries into every `drover` command and copy
// them to every launched host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fleet/base/result.h"

namespace drover::agents {

struct GrpcServer {
  std::string address;  // numeric, or "localhost": resolving other names may take long
  std::uint16_t port = 0;
};

struct GrpcLimits {
  double connect_s = 0.5;
  double request_s = 2;  // for all calls together
  std::size_t response_bytes_max = 1 << 20;
};

/// Calls `method` ("/package.Service/Method") once with each message, all at once on one
/// connection. The answers are in the order of the messages; a call that the server refuses is an
/// error of its own. The error of the whole: `not_found`: nobody listens there; `lost`: no answer
/// within the limits; `io`: what answers does not speak gRPC, or says too much.
Result<std::vector<Result<std::string>>> grpc_calls(const GrpcServer& server,
                                                    const std::string& method,
                                                    const std::vector<std::string>& messages,
                                                    const GrpcLimits& limits = {});

}  // namespace drover::agents
