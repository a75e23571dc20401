#include "fleet/recording/format/bytes.h"

#include <memory>

#include <libdeflate.h>
#include <zstd.h>

namespace drover::recording {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Preparing a context of some hundred KiB takes longer than compressing a small frame.
ZSTD_CCtx& compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  DROVER_REQUIRE(context != nullptr);
  return *context;
}

ZSTD_DCtx& decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  DROVER_REQUIRE(context != nullptr);
  return *context;
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // a null pointer would begin again
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::string compressed(std::string_view bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compressCCtx(&compressor(), frame.data(), frame.size(),
                                             bytes.data(), bytes.size(), level);
  DROVER_REQUIRE(!ZSTD_isError(size));
  frame.resize(size);
  return frame;
}

Status decompress(std::string_view frame, std::span<char> out) {
  const unsigned long long content_size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content_size != out.size()) {
    if (content_size == ZSTD_CONTENTSIZE_ERROR) return error("found no zstd frame");
    if (content_size == ZSTD_CONTENTSIZE_UNKNOWN)
      return error("found a zstd frame without its size");
    return error("found a zstd frame of {} bytes, expected {}", content_size, out.size());
  }
  const std::size_t size =
      ZSTD_decompressDCtx(&decompressor(), out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) return error("zstd: {}", ZSTD_getErrorName(size));
  if (size != out.size()) return error("zstd decompressed {} bytes, expected {}", size, out.size());
  return {};
}

Bytes& Bytes::number(std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  return *this;
}

Bytes& Bytes::text(std::string_view value) {
  return u32(static_cast<std::uint32_t>(value.size())).raw(value);
}

Bytes& Bytes::raw(std::string_view value) {
  bytes_ += value;
  return *this;
}

std::string_view Cursor::raw(std::uint64_t size) {
  if (failed_ || size > left()) {
    failed_ = true;
    return {};
  }
  const std::string_view part = bytes_.substr(at_, size);
  at_ += part.size();
  return part;
}

std::uint64_t Cursor::number(std::size_t size) {
  std::uint64_t value = 0;
  const std::string_view part = raw(size);
  for (std::size_t i = part.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(part[i - 1]);
  }
  return value;
}

}  // namespace drover::recording
