// Any bytes as a message: no crash and no memory beyond the limits, and what is accepted can be
// sent on without changing it. tests/fuzz/CMakeLists.txt makes a fuzzer of it; tests/fleet runs the
// corpus as a regression test.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/codec/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drover;
  const auto first = decode({reinterpret_cast<const char*>(data), size});
  if (!first) return 0;
  const std::string sent = encode(*first);
  const auto second = decode(sent);
  DROVER_REQUIRE(second.ok());
  DROVER_REQUIRE(encode(*second) == sent);
  return 0;
}
