// Any bytes as a recording and as its journal: no crash, no endless work, no memory beyond the
// limits. clang++ -fsanitize=fuzzer,address builds a fuzzer of it; tests/fleet runs the corpus as a
// regression test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fleet/recording/reader.h"
#include "fleet/recording/repair.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drover;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The journal stands behind the file: its length is in the last byte, in units of 16 bytes.
  const std::size_t journal = size == 0 ? 0 : std::min<std::size_t>(data[size - 1] * 16, size);
  TextSource source(bytes.substr(0, size - journal));
  auto reader = RecordingReader::open(source, bytes.substr(size - journal));
  if (!reader) return 0;
  static_cast<void>(reader->read(Instant::min(), never));
  static_cast<void>(reader->keyframe_before(reader->last()));
  static_cast<void>(reader->alerts());
  static_cast<void>(reader->bookmarks());
  static_cast<void>(verify_recording(source));
  const auto nowhere = [](std::string_view) { return Status{}; };
  static_cast<void>(recover_recording(source, {}, nowhere));
  static_cast<void>(cut_recording(source, {}, reader->first(), reader->last(), nowhere));
  return 0;
}
