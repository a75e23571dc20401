// docs/protocol.md says what the code does: every message, field, type, default, number and limit,
// in both directions, and an example that can be sent.
#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/reason.h"
#include "fleet/sample/sample_bounds.h"
#include "fleet/socket/socket.h"
#include "tests/fleet/codec/layout.h"
#include "tests/fleet/codec/message_bytes.h"

namespace drover::codec {
namespace {

const std::string root = DROVER_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(root + "/" + file);
  EXPECT_TRUE(stream.is_open()) << file;
  std::vector<std::string> lines;
  for (std::string one; std::getline(stream, one);) lines.push_back(one);
  return lines;
}

const std::vector<std::string>& document() {
  static const std::vector<std::string> lines = lines_of("docs/protocol.md");
  return lines;
}

/// The lines under a heading, down to the next heading of the same or a higher level.
std::vector<std::string> section(const std::string& heading) {
  const std::size_t level = heading.find(' ');
  std::vector<std::string> lines;
  bool inside = false;
  for (const std::string& line : document()) {
    const std::size_t marks = line.find_first_not_of('#');
    if (marks != 0 && marks != std::string::npos && marks <= level) inside = false;
    if (inside) lines.push_back(line);
    if (line == heading) inside = true;
  }
  EXPECT_FALSE(lines.empty()) << heading;
  return lines;
}

using Row = std::vector<std::string>;

/// The rows of the tables in these lines whose head starts with `first_column`.
std::vector<Row> table(const std::vector<std::string>& lines, const std::string& first_column) {
  std::vector<Row> rows;
  bool inside = false;
  for (const std::string& line : lines) {
    if (!line.starts_with("|")) {
      inside = false;
      continue;
    }
    Row cells;
    for (const std::string& cell : split(line, '|')) cells.emplace_back(trimmed(cell));
    cells = Row(cells.begin() + 1, cells.end() - 1);
    if (cells[0] == first_column) {
      inside = true;
    } else if (inside && !cells[0].starts_with("---")) {
      rows.push_back(cells);
    }
  }
  return rows;
}

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

TEST(ProtocolDocument, HasEveryFieldOfEveryStructWithTypeAndDefault) {
  for (const StructLayout& described : layouts()) {
    std::vector<FieldLayout> found;
    for (const Row& row : table(section("### " + described.name), "field")) {
      ASSERT_EQ(row.size(), 5u) << described.name;
      found.push_back({row[0].substr(1, row[0].size() - 2), row[1], row[3]});
    }
    EXPECT_EQ(found.size(), described.fields.size()) << described.name;
    for (std::size_t i = 0; i < std::min(found.size(), described.fields.size()); ++i) {
      EXPECT_EQ(found[i].name, described.fields[i].name) << described.name;
      EXPECT_EQ(found[i].type, described.fields[i].type) << described.name << "." << found[i].name;
      EXPECT_EQ(found[i].default_text, described.fields[i].default_text)
          << described.name << "." << found[i].name;
    }
  }
}

TEST(ProtocolDocument, HasNoOtherStructs) {
  std::set<std::string> known;
  for (const StructLayout& described : layouts()) known.insert(described.name);
  std::set<std::string> found;
  for (const std::string& line : document()) {
    if (line.starts_with("### ")) found.insert(line.substr(4));
  }
  EXPECT_EQ(found, known);
}

#define DROVER_EXAMPLE(body, ...) body{},
const std::vector<Message> one_of_each = {DROVER_MESSAGES(DROVER_EXAMPLE)};
#undef DROVER_EXAMPLE

/// "client → router; router → all, topic `events`", by the table of all messages.
std::string direction_of(const Message& message) {
  constexpr std::array<std::string_view, 7> to_router{"",
                                                      "anyone → router",
                                                      "agent → router",
                                                      "agent → router on the samples endpoint",
                                                      "client → router",
                                                      "client → router",
                                                      "client → router"};
  constexpr std::array<std::string_view, 4> from_router{"", "router → anyone", "router → agent",
                                                        "router → client"};
  const MessageFacts& row = facts(message);
  std::vector<std::string> ways;
  if (row.sender != SenderRole::nobody)
    ways.emplace_back(to_router[static_cast<std::size_t>(row.sender)]);
  if (row.receiver != ReceiverRole::nobody)
    ways.emplace_back(from_router[static_cast<std::size_t>(row.receiver)]);
  if (row.publication != Publication::none)
    ways.push_back(fmt::format("router → all, topic {}", code(to_text(topic_of(message)))));
  return joined(ways, "; ");
}

TEST(ProtocolDocument, HasTheKindAndTheDirectionOfEveryMessage) {
  for (const Message& message : one_of_each) {
    const std::vector<std::string> lines = section(fmt::format("### {}", kind_name(message)));
    ASSERT_GT(lines.size(), 1u) << kind_name(message);
    EXPECT_EQ(lines[1], fmt::format("Kind {}. {}.", message.index(), direction_of(message)))
        << kind_name(message);
  }
}

TEST(ProtocolDocument, HasTheTopicOfEveryPublishedMessage) {
  std::string text;
  for (const std::string& line : section("## Transport")) text += line + " ";
  for (const Message& message : one_of_each) {
    const std::string begin = fmt::format("- {}: ", code(to_text(topic_of(message))));
    const std::size_t from = text.find(begin);
    ASSERT_NE(from, std::string::npos) << begin;
    const std::string of_topic = text.substr(from, text.find_first_of("-.", from + 1) - from);
    const bool named =
        std::regex_search(of_topic, std::regex(fmt::format("\\b{}\\b", kind_name(message))));
    EXPECT_EQ(named, facts(message).publication != Publication::none)
        << kind_name(message) << ": " << of_topic;
  }
}

TEST(Codec, NamesEveryMessageAsTheTableDoes) {
  const std::vector<StructLayout> structs = layouts();
  for (const Message& message : one_of_each) {
    EXPECT_EQ(structs.at(message.index()).name, kind_name(message));
  }
}

TEST(ProtocolDocument, HasEveryEnumerator) {
  std::vector<Row> expected;
  for (const EnumerationLayout& described : enumerations()) {
    if (described.name == "Reason") continue;  // has a table of its own
    std::string numbers;
    for (std::size_t i = 0; i < described.enumerators.size(); ++i) {
      numbers += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, described.enumerators[i]);
    }
    expected.push_back({described.name, numbers});
  }
  EXPECT_EQ(table(section("## Enumerations"), "enumeration"), expected);
}

TEST(ProtocolDocument, HasEveryReason) {
  std::vector<Row> expected;
  for (int number = 0; number < reason_count; ++number) {
    const ReasonFacts& reason = facts(static_cast<Reason>(number));
    expected.push_back({std::to_string(number), code(reason.name),
                        reason.permanent ? "permanent" : "transient", std::string(reason.meaning)});
  }
  EXPECT_EQ(table(section("## Reasons"), "number"), expected);
}

TEST(ProtocolDocument, HasEveryMetric) {
  std::vector<Row> expected;
  for (int number = 0; number < metric_count; ++number) {
    const MetricFacts& metric = facts(static_cast<Metric>(number));
    const MetricBounds bounds = steps_within({static_cast<std::uint8_t>(number), 4, 0, {}});
    expected.push_back({std::to_string(number), code(metric.name), std::string(metric.unit),
                        std::to_string(metric.width), std::to_string(metric.scale),
                        fmt::format("{:.10g} to {:.10g}", bounds.least, bounds.most)});
  }
  std::vector<Row> found = table(section("## Samples"), "metric");
  for (Row& row : found) row.pop_back();  // the meaning
  EXPECT_EQ(found, expected);
}

TEST(ProtocolDocument, HasEveryThrottleBit) {
  std::map<std::string, std::string> expected;
  const std::regex bit(R"(^  (throttle_\w+) = (0x[0-9a-f]+),$)");
  for (const std::string& line : lines_of("fleet/sample/sample.h")) {
    std::smatch match;
    if (std::regex_match(line, match, bit)) expected[match[2]] = code(match[1].str());
  }
  std::map<std::string, std::string> found;
  for (const Row& row : table(section("## Samples"), "bit")) found[row[0]] = row[1];
  EXPECT_EQ(found.size(), 6u);
  EXPECT_EQ(found, expected);
}

TEST(ProtocolDocument, HasEveryLimit) {
  std::vector<Row> expected;
  for (const Limit& limit : limits()) {
    expected.push_back({code(limit.name), std::to_string(limit.most)});
  }
  std::vector<Row> found = table(section("## Limits"), "limit");
  for (Row& row : found) row.pop_back();  // of what
  EXPECT_EQ(found, expected);
}

TEST(ProtocolDocument, HasEveryLimitOfTheHeader) {
  std::set<std::string> known;
  for (const Limit& limit : limits()) known.insert(std::string(limit.name));
  const std::regex constant(R"(^inline constexpr std::size_t (\w+) = .*$)");
  for (const char* file : {"fleet/codec/limits.h", "fleet/codec/codec.h", "fleet/messages.h",
                           "fleet/host_description.h", "fleet/actions.h", "fleet/summary.h"}) {
    for (const std::string& line : lines_of(file)) {
      std::smatch match;
      if (std::regex_match(line, match, constant)) {
        EXPECT_TRUE(known.contains(match[1])) << match[1];
      }
    }
  }
}

TEST(ProtocolDocument, ShowsAnExampleThatDecodes) {
  std::string bytes;
  bool inside = false;
  for (const std::string& line : section("## Example")) {
    if (line.starts_with("```")) inside = line == "```hex";
    // Two spaces divide the bytes from the words.
    else if (inside)
      bytes += from_hex(line.substr(0, line.find("  ")));
  }
  const Envelope expected{"h1", 7, Instant{std::chrono::seconds(1'700'000'000)},
                          Accepted{{0x0123456789abcdef, 0xfedcba9876543210}, 1}};
  const Result<Envelope> envelope = decode(bytes);
  ASSERT_TRUE(envelope.ok()) << envelope.error().message;
  EXPECT_EQ(*envelope, expected);
  EXPECT_EQ(encode(expected), bytes);
}

TEST(ProtocolDocument, ShowsAnErrorVerbatim) {
  const std::string job = map_value({{"priority", number_value(std::int64_t{300})}});
  const Result<Envelope> envelope = decode(envelope_bytes<Assign>(map_value({{"job", job}})));
  ASSERT_FALSE(envelope.ok());
  const std::string shown = code(envelope.error().message);
  EXPECT_TRUE(std::any_of(document().begin(), document().end(), [&](const std::string& line) {
    return line.find(shown) != std::string::npos;
  })) << shown;
}

/// The data members of a struct, as its header spells them.
std::vector<std::string> members_of(const std::string& name) {
  const std::regex member(R"(^  [A-Za-z][\w:<>, ]* (\w+)( = [^;]*|\{[^;]*\})?;.*$)");
  const std::regex further(R"(, (\w+)(?= = |\{))");
  std::vector<std::string> members;
  for (const char* file :
       {"fleet/messages.h", "fleet/host_description.h", "fleet/decision.h", "fleet/job.h",
        "fleet/workload.h", "fleet/actions.h", "fleet/summary.h", "fleet/fault.h", "fleet/board.h",
        "fleet/sample/sample.h", "fleet/base/identity.h"}) {
    bool inside = false;
    for (const std::string& line : lines_of(file)) {
      if (line == "struct " + name + " {") inside = true;
      if (line == "};") inside = false;
      std::smatch match;
      if (!inside || !std::regex_match(line, match, member)) continue;
      members.push_back(match[1]);
      // "a = 0, b = 0": further members of the same type.
      const std::string rest = match[2];
      for (std::sregex_iterator next(rest.begin(), rest.end(), further), end; next != end; ++next)
        members.push_back((*next)[1]);
    }
  }
  return members;
}

TEST(Codec, SendsEveryMemberOfEveryStructUnderItsName) {
  for (const StructLayout& described : layouts()) {
    std::vector<std::string> sent;
    for (const FieldLayout& one : described.fields) sent.push_back(one.name);
    EXPECT_EQ(sent, members_of(described.name)) << described.name;
  }
}

}  // namespace
}  // namespace drover::codec
