// What the codec refuses, in which words, and how little memory it takes to say so.
#include <cstdlib>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "tests/fleet/codec/message_bytes.h"
#include "tests/fleet/codec/random_message.h"

namespace {

// Every allocation of this program is added up here, so that a test can ask what a call took.
thread_local std::size_t bytes_taken = 0;

}  // namespace

// g++ 12 takes our own pair of operators for a mismatched one once it has inlined them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  bytes_taken += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  bytes_taken += size;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace drover::codec {
namespace {

std::string refusal(std::string_view bytes) {
  const Result<Envelope> envelope = decode(bytes);
  return envelope.ok() ? "accepted" : envelope.error().message;
}

template <typename Body>
std::string refusal_of(const std::string& body) {
  return refusal(envelope_bytes<Body>(body));
}

std::string whole(std::int64_t number) { return number_value(number); }

const std::string id = binary_value(std::string(16, '\x01'));

struct RefusalCase {
  std::string bytes;
  std::string problem;
};

void expect_refusals(const std::vector<RefusalCase>& cases) {
  for (const RefusalCase& one : cases) EXPECT_EQ(refusal(one.bytes), one.problem);
}

TEST(CodecLimits, RefusesInvalidEnvelopes) {
  const auto cover = [](std::string version, std::string kind, std::string sender,
                        std::string sequence, std::string at) {
    return list_value({std::move(version), std::move(kind), std::move(sender), std::move(sequence),
                       std::move(at), map_value({})});
  };
  const std::string h1 = text_value("h1");
  constexpr int kinds = std::variant_size_v<AnyMessage>;
  expect_refusals({
      {"", "envelope: found the end of the message, expected an array"},
      {from_hex("c0"), "envelope: found nil, expected an array"},
      {from_hex("c1"), "envelope: found the byte 0xc1, expected an array"},
      {from_hex("80"), "envelope: found a map of 0, expected an array"},
      {from_hex("90"), "envelope: found 0 parts, expected 6"},
      {from_hex("95 01 00 a0 00 00"), "envelope: found 5 parts, expected 6"},
      {from_hex("91 02"), "envelope.version: found 2, expected 1"},
      {from_hex("97 02 00 00 00 00 00 00"), "envelope.version: found 2, expected 1"},
      {cover(text_value("1"), whole(0), h1, whole(0), whole(0)),
       "envelope.version: found \"1\", expected 1"},
      {cover(whole(1), whole(kinds), h1, whole(0), whole(0)),
       fmt::format("envelope.kind: found {}, expected 0..{}", kinds, kinds - 1)},
      {cover(whole(1), whole(-1), h1, whole(0), whole(0)),
       fmt::format("envelope.kind: found -1, expected 0..{}", kinds - 1)},
      {cover(whole(1), whole(6), text_value("a b"), whole(0), whole(0)),
       "envelope.sender: found \"a b\", expected a name of 1 to 64 letters, digits and . _ : -"},
      {cover(whole(1), whole(6), h1, whole(-1), whole(0)),
       "envelope.sequence: found -1, expected 0..18446744073709551615"},
      {cover(whole(1), whole(6), h1, whole(0), number_value(1.5)),
       "envelope.at: found 1.5, expected -9223372036854775808..9223372036854775807"},
      {cover(whole(1), whole(6), h1, whole(0), whole(0)) + "\xff",
       "envelope: found 1 bytes after the body, expected none"},
      {std::string(message_bytes_max + 1, '\x91'),
       "envelope: found 1048577 bytes, expected at most 1048576"},
  });
}

TEST(CodecLimits, RefusesNumbersOutOfRange) {
  const auto assign = [](std::string_view field, std::string value) {
    return envelope_bytes<Assign>(map_value({{"job", map_value({{field, std::move(value)}})}}));
  };
  const auto welcome = [](std::string_view field, std::string value) {
    return envelope_bytes<JoinAccepted>(map_value({{field, std::move(value)}}));
  };
  expect_refusals({
      {assign("priority", whole(300)), "Assign.job.priority: found 300, expected -128..127"},
      {assign("priority", whole(-129)), "Assign.job.priority: found -129, expected -128..127"},
      {assign("deadline", whole(-1)),
       "Assign.job.deadline: found -1, expected 0..9223372036854775807"},
      {assign("work", map_value({{"steps", whole(-1)}})),
       "Assign.job.work.steps: found -1, expected 0..4294967295"},
      {assign("work", map_value({{"devices", whole(65536)}})),
       "Assign.job.work.devices: found 65536, expected 0..65535"},
      {assign("work", map_value({{"steps", from_hex("cb 3ff0000000000000")}})),
       "Assign.job.work.steps: found 1.0, expected 0..4294967295"},
      {envelope_bytes<Progress>(map_value({{"share", number_value(std::nan(""))}})),
       "Progress.share: found nan, expected a finite number"},
      {envelope_bytes<Progress>(map_value({{"share", number_value(-HUGE_VAL)}})),
       "Progress.share: found -inf, expected a finite number"},
      {envelope_bytes<Progress>(map_value({{"share", from_hex("ca 7fc00000")}})),
       "Progress.share: found nan, expected a finite number"},
      {welcome("speed", whole(0)), "JoinAccepted.speed: found 0, expected a number above 0"},
      {welcome("lease", whole(-5)),
       "JoinAccepted.lease: found -5, expected 0..9223372036854775807"},
      {envelope_bytes<Refused>(map_value({{"reason", whole(reason_count)}})),
       "Refused.reason: found 24, expected 0..23"},
      {envelope_bytes<Cancel>(map_value({{"reason", text_value("memory")}})),
       "Cancel.reason: found \"memory\", expected 0..23"},
      {envelope_bytes<Join>(map_value({{"role", whole(3)}})), "Join.role: found 3, expected 0..2"},
  });
}

TEST(CodecLimits, RefusesInvalidNames) {
  const std::string expected = ", expected a name of 1 to 64 letters, digits and . _ : -";
  const auto host = [](const std::string& text) {
    return envelope_bytes<Register>(map_value({{"host", text_value(text)}}));
  };
  const auto labels = [](std::string value) {
    return envelope_bytes<Register>(map_value({{"labels", std::move(value)}}));
  };
  expect_refusals({
      {host("a b"), "Register.host: found \"a b\"" + expected},
      {host(""), "Register.host: found \"\"" + expected},
      {host("\x1b[2J"), "Register.host: found \"^[[2J\"" + expected},
      {host("caf\xc3\xa9"), "Register.host: found \"caf\xc3\xa9\"" + expected},
      {host("\xff"), "Register.host: found \"\\xff\", expected valid UTF-8"},
      {host(std::string(65, 'a')), "Register.host: found 65 bytes, expected at most 64"},
      {labels(map_value({{"a/b", text_value("c")}})), "Register.labels: found \"a/b\"" + expected},
      {labels(map_value({{"a", whole(1)}})), "Register.labels.a: found 1, expected text"},
      {labels(map_value({{"a", text_value(std::string(257, 'x'))}})),
       "Register.labels.a: found 257 bytes, expected at most 256"},
      {labels(map_value({{"a", text_value("b")}, {"a", text_value("c")}})),
       "Register.labels: found the key a twice, expected each key once"},
      {envelope_bytes<RequestError>(map_value({{"what", text_value("\xed\xa0\x80")}})),
       "RequestError.what: found \"\\xed\\xa0\\x80\", expected valid UTF-8"},
      {envelope_bytes<RequestError>(map_value({{"what", text_value(std::string(4097, 'x'))}})),
       "RequestError.what: found 4097 bytes, expected at most 4096"},
  });
}

TEST(CodecLimits, RefusesDuplicateFields) {
  expect_refusals({
      {envelope_bytes<Accepted>(map_value({{"attempt", whole(1)}, {"attempt", whole(1)}})),
       "Accepted.attempt: found the field twice, expected each field once"},
      {envelope_bytes<Accepted>(
           map_value({{"attempt", whole(1)}, {"job", id}, {"attempt", whole(1)}})),
       "Accepted.attempt: found the field twice, expected each field once"},
      {envelope_bytes<Accepted>(map_value({{"new", whole(1)}, {"job", id}, {"new", whole(1)}})),
       "Accepted: found the field \"new\" twice, expected each field once"},
      {envelope_bytes<Summary>(
           map_value({{"failures", map_value({{"memory", whole(1)}, {"memory", whole(1)}})}})),
       "Summary.failures: found memory twice, expected each reason once"},
      {envelope_bytes<Summary>(map_value({{"failures", map_value({{"mood\n", whole(1)}})}})),
       "Summary.failures: found \"mood^J\", expected the name of a reason"},
  });
}

TEST(CodecLimits, RefusesValuesOfTheWrongType) {
  expect_refusals({
      {envelope_bytes<Accepted>(whole(5)), "Accepted: found 5, expected a map"},
      {envelope_bytes<Accepted>(from_hex("81 05 05")), "Accepted: found 5, expected text"},
      {envelope_bytes<Accepted>(map_value({{"job", text_value("0123")}})),
       "Accepted.job: found \"0123\", expected binary"},
      {envelope_bytes<Accepted>(map_value({{"job", binary_value("0123")}})),
       "Accepted.job: found 4 bytes, expected 16 bytes"},
      {envelope_bytes<Accepted>(map_value({{"job", binary_value(std::string(17, 'x'))}})),
       "Accepted.job: found 17 bytes, expected at most 16"},
      {envelope_bytes<Submit>(map_value({{"jobs", from_hex("c2")}})),
       "Submit.jobs: found false, expected an array"},
      {envelope_bytes<Submit>(map_value({{"jobs", list_value({map_value({}), whole(1)})}})),
       "Submit.jobs[1]: found 1, expected a map"},
      {envelope_bytes<Assign>(map_value({{"replica", from_hex("c0")}})),
       "Assign.replica: found nil, expected 0..4294967295"},
      {envelope_bytes<Join>(map_value({{std::string(65, 'k'), whole(1)}})),
       "Join: found 65 bytes, expected at most 64"},
      {envelope_bytes<Join>(map_value({{"later", from_hex("c1")}})),
       "Join.later: found the byte 0xc1, expected a value"},
      {envelope_bytes<Join>(map_value({{"later", from_hex("9191919191919191 9100")}})),
       "Join.later: found more than 8 levels, expected no deeper nesting"},
  });
}

TEST(CodecLimits, RefusesInconsistentBatches) {
  const auto batch = [](std::string devices, std::string column) {
    return envelope_bytes<SampleBatch>(
        map_value({{"devices", std::move(devices)}, {"columns", list_value({std::move(column)})}}));
  };
  const auto column = [](std::int64_t width, const std::string& bytes) {
    return map_value({{"width", whole(width)}, {"bytes", binary_value(bytes)}});
  };
  const std::string two = binary_value(std::string("\x00\x00\x01\x00", 4));
  expect_refusals({
      {batch(binary_value("abc"), column(2, "")),
       "SampleBatch.devices: found 3 bytes, expected two bytes for each number"},
      {batch(binary_value("abab"), column(2, "1234")),
       "SampleBatch.devices: device 25185 occurs twice"},
      {batch(two, column(3, "123456")),
       "SampleBatch.columns: metric 0: found width 3, expected 2, 4 or 8"},
      {batch(two, column(2, "12345")),
       "SampleBatch.columns: metric 0: found 5 bytes, expected 4 (2 rows of 2)"},
      {batch(binary_value(std::string(2002, 'x')), column(2, "")),
       "SampleBatch.devices: found 2002 bytes, expected at most 2000"},
      {batch(two, column(2, std::string(8001, 'x'))),
       "SampleBatch.columns[0].bytes: found 8001 bytes, expected at most 8000"},
  });
}

TEST(CodecLimits, KeepsSnapshotPartsSmall) {
  const std::string half = binary_value(std::string(snapshot_part_bytes_max / 2 + 1, 'x'));
  const std::string large = binary_value(std::string(snapshot_part_bytes_max + 1, 'x'));
  EXPECT_EQ(refusal_of<SnapshotPart>(map_value({{"messages", list_value({half, half})}})),
            "SnapshotPart.messages: found 262146 bytes in 2 messages, expected at most 262144");
  // One that is larger than a part travels alone.
  EXPECT_EQ(refusal_of<SnapshotPart>(map_value({{"messages", list_value({large})}})), "accepted");
}

TEST(CodecLimits, KeepsBundlesSmall) {
  const std::string half = binary_value(std::string(bundle_bytes_max / 2 + 1, 'x'));
  const std::string large = binary_value(std::string(bundle_bytes_max + 1, 'x'));
  EXPECT_EQ(refusal_of<Bundle>(map_value({{"messages", list_value({half, half})}})),
            "Bundle.messages: found 131074 bytes in 2 messages, expected at most 131072");
  EXPECT_EQ(refusal_of<Bundle>(map_value({{"messages", list_value({large})}})), "accepted");
}

TEST(CodecLimits, KeepsSeriesOfOneHistoryAsLongAsEachOther) {
  const auto reply_of = [](std::size_t first, std::size_t second) {
    const auto series = [](std::size_t bytes) {
      return map_value({{"values", binary_value(std::string(bytes, 'v'))}});
    };
    return refusal_of<HistoryReply>(
        map_value({{"series", list_value({series(first), series(second)})}}));
  };
  EXPECT_EQ(reply_of(8, 8), "accepted");
  EXPECT_EQ(reply_of(8, 4), "HistoryReply.series: found 4 bytes of values, expected 8");
  EXPECT_EQ(reply_of(7, 7), "HistoryReply.series: found 7 bytes of values, expected 4");
  const std::int64_t days_366_ns = std::int64_t{366} * 86'400 * 1'000'000'000;
  EXPECT_EQ(refusal_of<HistoryReply>(map_value({{"bin", number_value(days_366_ns)}})),
            "HistoryReply.bin: found 31622400 s, expected at most 31536000");
}

TEST(CodecLimits, KeepsTheBucketsOfAClassOnTheirScale) {
  const auto summary_of = [](std::uint64_t first, const std::string& buckets) {
    return refusal_of<Summary>(map_value(
        {{"classes",
          list_value({map_value({{"first_bucket", whole(first)}, {"buckets", buckets}})})}}));
  };
  EXPECT_EQ(summary_of(124, list_value({whole(1), whole(2)})), "accepted");
  EXPECT_EQ(summary_of(125, list_value({whole(1), whole(2)})),
            "ClassReport.buckets: found 2 from number 125, expected them to end before 126");
  EXPECT_EQ(summary_of(4'294'967'295, list_value({whole(1)})),
            "ClassReport.buckets: found 1 from number 4294967295, expected them to end before 126");
}

TEST(CodecLimits, KeepsListsWithinTheirLengths) {
  const auto list_of = [](std::size_t count, const std::string& value) {
    std::string bytes =
        packed([&](Packer& packer) { packer.pack_array(static_cast<std::uint32_t>(count)); });
    for (std::size_t i = 0; i < count; ++i) bytes += value;
    return bytes;
  };
  EXPECT_EQ(refusal_of<Submit>(map_value({{"jobs", list_of(256, map_value({}))}})), "accepted");
  EXPECT_EQ(refusal_of<Submit>(map_value({{"jobs", list_of(257, map_value({}))}})),
            "Submit.jobs: found 257 elements, expected at most 256");
  EXPECT_EQ(refusal_of<Assign>(map_value({{"devices", list_of(4097, whole(1))}})),
            "Assign.devices: found 4097 elements, expected at most 4096");
}

// Lengths of 4 GiB in five bytes, at every place of a message where a length may stand.
TEST(CodecLimits, RefusesLengthBombsWithoutAllocatingMemory) {
  const std::vector<std::string> bombs = {from_hex("dd ffffffff"),    from_hex("df ffffffff"),
                                          from_hex("db ffffffff"),    from_hex("c6 ffffffff"),
                                          from_hex("c9 ffffffff 05"), from_hex("dd 04000000"),
                                          from_hex("df 04000000"),    from_hex("dc ffff"),
                                          from_hex("de ffff"),        from_hex("d9 ff")};
  constexpr std::size_t little = 16 * 1024;  // the words of the refusal, and the message's struct
  const auto expect_little = [&](const std::string& bytes) {
    bytes_taken = 0;
    const bool accepted = decode(bytes).ok();
    EXPECT_LT(bytes_taken, little) << bytes;
    EXPECT_FALSE(accepted);
  };
  for (const std::string& bomb : bombs) {
    expect_little(bomb);
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      // The last byte of an empty message is its body.
      RandomStream random(0);
      std::string bytes = encode({"h1", 1, {}, Superseded{}});
      bytes[2] = static_cast<char>(kind);
      bytes.pop_back();
      expect_little(bytes + bomb);
      bytes += from_hex("81");
      expect_little(bytes + bomb);
      expect_little(fmt::format("{}{}{}", bytes, text_value("later"), bomb));
      for (const std::string_view field :
           {"host",         "labels",    "specs",   "groups",     "replicas",   "held",
            "job",          "jobs",      "devices", "columns",    "model_spec", "detail",
            "messages",     "decisions", "top",     "rejections", "fallbacks",  "results",
            "registration", "replica",   "text",    "what",       "why"}) {
        const std::string message = fmt::format("{}{}{}", bytes, text_value(field), bomb);
        bytes_taken = 0;
        EXPECT_FALSE(decode(message).ok());
        EXPECT_LT(bytes_taken, little) << field;
      }
    }
  }
}

TEST(CodecLimits, RefusesDeepNestingWithoutRecursing) {
  const std::string bytes = envelope_bytes<Join>(from_hex("81") + text_value("later") +
                                                 std::string(message_bytes_max / 2, '\x91'));
  bytes_taken = 0;
  EXPECT_EQ(refusal(bytes), "Join.later: found more than 8 levels, expected no deeper nesting");
  EXPECT_LT(bytes_taken, 16u * 1024);
}

// An empty map is one byte on the wire and a struct of 70 to 600 bytes in memory.
TEST(CodecLimits, BoundsTheMemoryOfManyEmptyStructs) {
  std::string decision = from_hex("81") + text_value("rejections") + from_hex("dc 1000");
  decision += std::string(rejections_max, '\x80');
  std::string body = from_hex("81") + text_value("decisions") + from_hex("dc 00f0");
  for (int i = 0; i < 240; ++i) body += decision;
  const std::string bytes = envelope_bytes<WhyReply>(body);
  bytes_taken = 0;
  EXPECT_EQ(refusal(bytes).substr(0, 19), "WhyReply.decisions[");
  EXPECT_LT(bytes_taken, 2 * (memory_base + memory_per_byte * bytes.size()));
}

template <typename Item>
std::string accepts(std::vector<Item> Board::*list, std::size_t count) {
  Board board;
  (board.*list).resize(count);
  return refusal(encode(Envelope{"n1", 1, {}, BoardReport{board}}));
}

TEST(CodecLimits, RefusesBoardsWithListsThatAreTooLong) {
  const std::pair<std::string, std::string> cases[] = {
      {accepts(&Board::processes, device_processes_max), "accepted"},
      {accepts(&Board::processes, device_processes_max + 1),
       "BoardReport.board.processes: found 65 elements, expected at most 64"},
      {accepts(&Board::partitions, device_partitions_max), "accepted"},
      {accepts(&Board::partitions, device_partitions_max + 1),
       "BoardReport.board.partitions: found 17 elements, expected at most 16"},
      {accepts(&Board::missing, missing_metrics_max), "accepted"},
      {accepts(&Board::missing, missing_metrics_max + 1),
       "BoardReport.board.missing: found 65 elements, expected at most 64"},
  };
  for (const auto& [said, expected] : cases) EXPECT_EQ(said, expected);
}

TEST(CodecLimits, TextsOfBoardsAreCutBeforeTheyAreSent) {
  Board board;
  board.name = std::string(100'000, 'x');
  board.missing = {{0, std::string(100'000, 'y')}};
  const std::string bytes = encode(Envelope{"n1", 1, {}, BoardReport{board}});
  EXPECT_LT(bytes.size(), 1000U);
  EXPECT_EQ(refusal(bytes), "accepted");
}

}  // namespace
}  // namespace drover::codec
