#include "fleet/codec/codec.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/fleet/codec/message_bytes.h"
#include "tests/fleet/codec/random_message.h"

namespace drover::codec {
namespace {

Envelope decoded(std::string_view bytes) {
  Result<Envelope> envelope = decode(bytes);
  EXPECT_TRUE(envelope.ok()) << (envelope.ok() ? "" : envelope.error().message);
  return envelope.ok() ? *std::move(envelope) : Envelope{};
}

template <typename Body>
Body decoded_body(const std::string& body) {
  return std::get<Body>(decoded(envelope_bytes<Body>(body)).body);
}

class EveryKind : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryKind, ComesBackAsItWasSent) {
  for (std::uint64_t round = 0; round < 200; ++round) {
    RandomStream random = RandomStream(codec_seed).child(GetParam()).child(round);
    const Envelope sent = random_envelope(random, GetParam());
    const Result<Envelope> received = decode(encode(sent));
    ASSERT_TRUE(received.ok()) << received.error().message << ", round " << round;
    ASSERT_EQ(*received, sent) << "round " << round;
  }
}

TEST_P(EveryKind, IsRefusedWhenTruncatedAnywhere) {
  RandomStream random = RandomStream(codec_seed).child("cut").child(GetParam());
  const std::string bytes = encode(random_envelope(random, GetParam()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(decode(std::string_view(bytes).substr(0, size)).ok())
        << size << " of " << bytes.size() << " bytes";
  }
}

TEST_P(EveryKind, CanBeChosenByItsFirstThreeBytes) {
  RandomStream random = RandomStream(codec_seed).child(GetParam());
  const std::string bytes = encode(random_envelope(random, GetParam()));
  EXPECT_EQ(bytes.substr(0, 3), (std::string{'\x96', '\x01', static_cast<char>(GetParam())}));
}

TEST_P(EveryKind, FromAnEmptyMapHasDefaultsAndSendsNoField) {
  const std::string bytes =
      list_value({number_value(std::int64_t{1}),
                  number_value(static_cast<std::int64_t>(GetParam())), text_value(""),
                  number_value(std::int64_t{0}), number_value(std::int64_t{0}), map_value({})});
  const Envelope received = decoded(bytes);
  EXPECT_EQ(received.body.index(), GetParam());
  EXPECT_EQ(encode(received), bytes);
}

INSTANTIATE_TEST_SUITE_P(Codec, EveryKind, testing::Range(std::size_t{0}, kind_count),
                         [](const auto& kind) {
                           RandomStream random(codec_seed);
                           return std::string(kind_name(random_envelope(random, kind.param).body));
                         });

TEST(Codec, NamesEveryKind) {
  EXPECT_EQ(kind_name(Join{}), "Join");
  EXPECT_EQ(kind_name(SampleBatch{}), "SampleBatch");
  EXPECT_EQ(kind_name(Event{}), "Event");
}

TEST(Codec, SkipsUnknownFieldsOfAnyType) {
  const std::vector<std::string> strange = {
      from_hex("c0"),
      from_hex("c3"),
      from_hex("d4 05 00"),
      from_hex("c7 02 05 00 00"),
      text_value("later"),
      binary_value("later"),
      number_value(-1.5),
      from_hex("7f"),
      from_hex("ca 7f c0 00 00"),
      list_value({list_value({}), map_value({{"deep", list_value({number_value(1.0)})}})}),
  };
  for (const std::string& value : strange) {
    const std::string body = map_value({{"from_a_later_version", value},
                                        {"attempt", number_value(std::int64_t{3})},
                                        {"and_another", value}});
    EXPECT_EQ(decoded_body<Accepted>(body).attempt, 3u);
  }
}

TEST(Codec, TakesFieldsInAnyOrder) {
  const std::string id(16, '\x01');
  const std::string body = map_value({{"detail", text_value("full")},
                                      {"reason", number_value(std::int64_t{8})},
                                      {"job", binary_value(id)},
                                      {"attempt", number_value(std::int64_t{2})}});
  const Refused expected{{0x0101010101010101, 0x0101010101010101}, 2, Reason::capacity, "full"};
  EXPECT_EQ(decoded_body<Refused>(body), expected);
}

TEST(Codec, KeepsDefaultsOfAbsentFields) {
  EXPECT_EQ(decoded_body<JobsRequest>(map_value({})).ended_max, 100u);
  EXPECT_EQ(decoded_body<JoinAccepted>(map_value({})).speed, 1.0);
  const Submit submit = decoded_body<Submit>(map_value({{"jobs", list_value({map_value({})})}}));
  EXPECT_EQ(submit, Submit{{Job{}}});
  EXPECT_EQ(submit.jobs[0].tenant, "default");
  EXPECT_EQ(submit.jobs[0].work.items, 1u);
}

TEST(Codec, DistinguishesAnAbsentOptionalFromItsDefault) {
  JobsRequest any;
  JobsRequest one;
  one.job = JobId{};
  EXPECT_EQ(std::get<JobsRequest>(decoded(encode({"c", 1, {}, any})).body).job, std::nullopt);
  EXPECT_EQ(std::get<JobsRequest>(decoded(encode({"c", 1, {}, one})).body).job, JobId{});
}

TEST(Codec, OnlyTheEventOfABookmarkIsLongerThanOthers) {
  Event event{Severity::info, "bookmark", "the peak (of 14:02:10, by ann@node-7)"};
  const std::string plain = encode({"router", 1, {}, event});
  EXPECT_EQ(decoded(plain).body, Message(event));
  event.bookmark = Bookmark{};
  EXPECT_EQ(decoded(encode({"router", 1, {}, event})).body, Message(event)) << "without a text";
  event.bookmark = Bookmark{Instant{std::chrono::seconds(7)}, "the peak"};
  const std::string marked = encode({"router", 1, {}, event});
  EXPECT_EQ(decoded(marked).body, Message(event));
  EXPECT_GT(marked.size(), plain.size());
}

TEST(Codec, TakesIntegersOfEveryWidth) {
  const std::vector<std::string> fives = {
      "05",    "cc 05",   "cd 0005",     "ce 00000005",        "cf 0000000000000005",
      "d0 05", "d1 0005", "d2 00000005", "d3 0000000000000005"};
  for (const std::string& five : fives) {
    EXPECT_EQ(decoded_body<Accepted>(map_value({{"attempt", from_hex(five)}})).attempt, 5u) << five;
  }
  const std::vector<std::string> minus_fives = {"fb", "d0 fb", "d1 fffb", "d2 fffffffb",
                                                "d3 fffffffffffffffb"};
  for (const std::string& five : minus_fives) {
    const std::string job = map_value({{"priority", from_hex(five)}});
    EXPECT_EQ(decoded_body<Assign>(map_value({{"job", job}})).job.priority, -5) << five;
  }
}

TEST(Codec, AcceptsIntegersAnd32BitFloatsAsNumbers) {
  const auto share = [](const std::string& value) {
    return decoded_body<Progress>(map_value({{"share", value}})).share;
  };
  EXPECT_EQ(share(from_hex("01")), 1.0);
  EXPECT_EQ(share(from_hex("ff")), -1.0);
  EXPECT_EQ(share(from_hex("ca 3f000000")), 0.5);
  EXPECT_EQ(share(from_hex("cb 3fe0000000000000")), 0.5);
}

TEST(Codec, KeepsNumbersToTheLastBit) {
  for (const double number : {0.1, 350.0, -350.0, 5e-324, 1e300, 0x1p53, 0x1p53 + 2, 0x1p63, 0x1p64,
                              -0x1p63, std::numeric_limits<double>::max()}) {
    Progress progress;
    progress.share = number;
    EXPECT_EQ(std::get<Progress>(decoded(encode({"h1", 1, {}, progress})).body).share, number);
  }
}

TEST(Codec, NeverSendsNumbersThatAreNotFinite) {
  for (const double unknown : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Progress progress;
    progress.attempt = 1;
    progress.share = unknown;
    const std::string bytes = encode({"h1", 1, {}, progress});
    EXPECT_EQ(bytes.find("share"), std::string::npos);
    EXPECT_EQ(std::get<Progress>(decoded(bytes).body).share, 0.0);
  }
}

TEST(Codec, TruncatesHumanReadableTextBetweenCharacters) {
  std::string euros;
  while (euros.size() <= text_bytes_max) euros += "\xe2\x82\xac";
  const auto received =
      std::get<RequestError>(decoded(encode({"router", 1, {}, RequestError{euros}})).body);
  EXPECT_EQ(received.what, euros.substr(0, text_bytes_max / 3 * 3));
}

TEST(Codec, SendsOnlyValidText) {
  const RequestError broken{"a\xff\xc3z"};
  const auto received = std::get<RequestError>(decoded(encode({"router", 1, {}, broken})).body);
  EXPECT_EQ(received.what, "a\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(Codec, AcceptsAnEmptySenderName) {
  EXPECT_EQ(decoded(encode({"", 1, {}, SummaryRequest{}})).sender, "");
}

TEST(Codec, KeepsExtremesOfTime) {
  for (const Instant at : {Instant::min(), Instant{}, never}) {
    EXPECT_EQ(decoded(encode({"h1", 1, at, Superseded{}})).at, at);
  }
}

TEST(Codec, KeepsTheLargestBatchOfSamples) {
  std::vector<Sample> rows(batch_rows_max);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].device = static_cast<std::uint16_t>(row);
    rows[row].values.fill(static_cast<double>(row % 100));
  }
  const SampleBatch sent = pack("h1", rows);
  const std::string bytes = encode({"h1", 1, {}, sent});
  EXPECT_EQ(std::get<SampleBatch>(decoded(bytes).body), sent);
  EXPECT_LT(bytes.size(), message_bytes_max);
}

}  // namespace
}  // namespace drover::codec
