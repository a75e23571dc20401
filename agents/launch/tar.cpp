#include "agents/launch/tar.h"

#include <numeric>

#include <fmt/format.h>

#include "fleet/base/result.h"

namespace drover::launch {

namespace {

constexpr std::size_t block = 512;
constexpr std::size_t checksum_at = 148;
constexpr std::size_t checksum_size = 8;

}  // namespace

void add_to_tar(std::string& tar, std::string_view name, unsigned mode, std::string_view content) {
  DROVER_REQUIRE(name.size() <= 100 && content.size() < (std::size_t{8} << 30));
  std::string header(block, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    header.replace(at, text.size(), text);
  };
  put(0, name);
  put(100, fmt::format("{:07o}", mode));
  put(108, "0000000");  // owner and group: the receiver's own
  put(116, "0000000");
  put(124, fmt::format("{:011o}", content.size()));
  put(136, "00000000000");  // no time: equal contents give equal archives
  put(checksum_at, std::string(checksum_size, ' '));
  put(156, "0");  // a plain file
  put(257, std::string_view("ustar\00000", 8));
  const auto sum = std::accumulate(header.begin(), header.end(), 0U, [](unsigned total, char c) {
    return total + static_cast<unsigned char>(c);
  });
  put(checksum_at, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  tar += header;
  tar += content;
  tar.append((block - content.size() % block) % block, '\0');
}

void end_tar(std::string& tar) { tar.append(2 * block, '\0'); }

}  // namespace drover::launch
