// What fuzzers found interesting, again: each file of tests/fuzz/corpus through its fuzzer's entry.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// CMakeLists.txt gives the fuzzers' LLVMFuzzerTestOneInput these names.
extern "C" int fuzz_codec(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_recording(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_filter(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_exposition(const std::uint8_t* data, std::size_t size);

namespace drover {
namespace {

namespace fs = std::filesystem;

/// Answers how many files there were.
int run_corpus(const std::string& name, int (*entry)(const std::uint8_t*, std::size_t)) {
  int files = 0;
  for (const auto& file :
       fs::directory_iterator(fs::path(DROVER_SOURCE_DIR) / "tests/fuzz/corpus" / name)) {
    SCOPED_TRACE(file.path());
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(entry(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    ++files;
  }
  return files;
}

TEST(CodecCorpus, IsHandledSafely) { EXPECT_GE(run_corpus("codec", fuzz_codec), 47); }
TEST(RecordingCorpus, IsHandledSafely) { EXPECT_GE(run_corpus("recording", fuzz_recording), 5); }
TEST(FilterCorpus, IsHandledSafely) { EXPECT_GE(run_corpus("filter", fuzz_filter), 10); }
TEST(ExpositionCorpus, IsHandledSafely) {
  EXPECT_GE(run_corpus("exposition", fuzz_exposition), 15);
}

}  // namespace
}  // namespace drover
