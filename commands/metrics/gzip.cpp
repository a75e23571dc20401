#include "commands/metrics/gzip.h"

#include <algorithm>

#include <zlib.h>

#include "fleet/base/result.h"

namespace drover::commands {

namespace {

/// `from(offset)` answers a piece that begins there, in all `size` bytes.
template <typename From>
std::string gzip_pieces(std::size_t size, const From& from) {
  constexpr int level = 1, window = 15 + 16, memory = 8;  // 16: with the header of gzip
  z_stream stream{};
  DROVER_REQUIRE(deflateInit2(&stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) ==
                 Z_OK);
  std::string out(size / 8 + 4096, '\0');
  const auto deflate_some = [&](std::string_view in, int flush) {
    // zlib does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream.avail_in = static_cast<uInt>(in.size());
    do {
      if (stream.total_out == out.size()) out.resize(2 * out.size());
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + stream.total_out);
      stream.avail_out = static_cast<uInt>(
          std::min<std::size_t>(out.size() - stream.total_out, std::size_t{1} << 30));
      (void)deflate(&stream, flush);
    } while (stream.avail_out == 0);
  };
  for (std::size_t offset = 0; offset < size;) {
    const std::string_view piece = from(offset).substr(0, std::size_t{1} << 30);
    deflate_some(piece, Z_NO_FLUSH);
    offset += piece.size();
  }
  deflate_some({}, Z_FINISH);
  out.resize(stream.total_out);
  (void)deflateEnd(&stream);
  return out;
}

}  // namespace

std::string gzip(const Page& page) {
  return gzip_pieces(page.size(), [&](std::size_t offset) { return page.from(offset); });
}

std::string gzip(std::string_view text) {
  return gzip_pieces(text.size(), [&](std::size_t offset) { return text.substr(offset); });
}

}  // namespace drover::commands
