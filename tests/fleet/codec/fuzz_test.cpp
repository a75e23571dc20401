// Bytes that nobody meant: whatever comes, the codec answers an envelope or an error, and an
// envelope that it accepts is one that it can send on without changing it.
#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "tests/fleet/codec/random_message.h"

namespace drover::codec {
namespace {

constexpr std::size_t mutations_per_kind = 600;  // 37 kinds: some 20,000

/// True when the bytes were accepted.
bool survives(std::string_view bytes) {
  const Result<Envelope> first = decode(bytes);
  if (!first.ok()) {
    EXPECT_FALSE(first.error().message.empty());
    return false;
  }
  const std::string again = encode(*first);
  const Result<Envelope> second = decode(again);
  EXPECT_TRUE(second.ok()) << second.error().message;
  if (!second.ok()) return true;
  EXPECT_EQ(*second, *first);
  EXPECT_EQ(encode(*second), again);
  return true;
}

void mutate(RandomStream& random, std::string& bytes) {
  const std::size_t at = random.below(bytes.size());
  switch (random.below(6)) {
    case 0:
      bytes[at] = static_cast<char>(random.bits());
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 2:
      bytes.erase(at, 1 + random.below(4));
      break;
    case 3:
      bytes.insert(at, 1, static_cast<char>(random.bits()));
      break;
    case 4:
      bytes[at] = static_cast<char>(0xc0 + random.below(32));
      break;  // all heads with lengths
    default:
      bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(40)));
      break;
  }
}

TEST(CodecFuzz, SurvivesMutatedMessagesOfEveryKind) {
  std::size_t accepted = 0;
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    for (std::size_t round = 0; round < mutations_per_kind; ++round) {
      RandomStream random = RandomStream(codec_seed).child(kind).child(round);
      std::string bytes = encode(random_envelope(random, kind));
      for (std::uint64_t count = 1 + random.below(4); count > 0 && !bytes.empty(); --count) {
        mutate(random, bytes);
      }
      if (survives(bytes)) ++accepted;
      ASSERT_FALSE(HasFailure()) << "kind " << kind << ", round " << round;
    }
  }
  // The mutations are gentle enough to get past the door now and then.
  EXPECT_GT(accepted, 500u);
}

TEST(CodecFuzz, SurvivesRandomBytes) {
  for (std::size_t round = 0; round < 5000; ++round) {
    RandomStream random = RandomStream(codec_seed).child("bytes").child(round);
    std::string bytes(random.below(200), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.bits());
    survives(bytes);
    // Behind a proper cover they get further.
    std::string covered = encode({"h1", 1, {}, Superseded{}});
    covered[2] = static_cast<char>(random.below(kind_count));
    covered.back() = static_cast<char>(0x80 + random.below(16));
    survives(covered + bytes);
  }
}

}  // namespace
}  // namespace drover::codec
