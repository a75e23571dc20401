#include "tests/operations/look.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>

namespace drover::operations {
namespace {

using commands::ProcessResult;

const std::vector<std::string>& brief_questions() {
  static const std::vector<std::string> brief = {
      "status --json", "jobs --json --ended 1000",     "alerts --json",
      "alerts",        "frame --table devices --json",
  };
  return brief;
}

/// Every surface that tells of the whole fleet.
const std::vector<std::string>& all_questions() {
  static const std::vector<std::string> all = {
      "status --json",
      "jobs --json --ended 1000",
      "devices --json",
      "alerts --json",
      "frame --table devices --json",
      "frame --table replicas --json",
      "frame --table jobs --json",
      "frame --table decisions --json",
      "frame --table pools --json",
      "frame --table events --json",
      "frame --table rules --json",
      "frame --table hosts --json",
      "frame --table classes --json",
      "frame --table fallbacks --json",
      "frame --table flows --json",
      "frame --view fleet --size 160x60",
      "frame --view jobs --size 160x60",
      "status",
      "devices",
      "jobs --ended 1000",
      "alerts",
  };
  return all;
}

/// What most goes by is asked each time; of the rest a few, in turn: each look is a process for
/// each question.
const std::vector<std::string>& questions_in_turn() {
  static const std::vector<std::string> in_turn = {
      "frame --table devices --csv", "frame --view devices --size 160x90",
      "frame --table hosts --csv",   "frame --view routing --size 160x60",
      "frame --table jobs --csv",    "frame --view power --size 160x60",
      "frame --table pools --csv",   "frame --view events --size 160x60",
      "frame --table rules --csv",   "frame --view telemetry --size 160x60",
  };
  return in_turn;
}
constexpr std::size_t in_turn_at_once = 2;

}  // namespace

FleetSnapshot FleetSnapshot::whole(const FleetProcesses& stage) {
  static std::size_t looks = 0;
  std::vector<std::string> questions = all_questions();
  const auto& in_turn = questions_in_turn();
  for (std::size_t i = 0; i < in_turn_at_once; ++i) {
    questions.push_back(in_turn[(looks * in_turn_at_once + i) % in_turn.size()]);
  }
  FleetSnapshot look(stage, questions);
  look.number_ = ++looks;
  return look;
}
FleetSnapshot FleetSnapshot::brief(const FleetProcesses& stage) {
  return FleetSnapshot(stage, brief_questions());
}

FleetSnapshot::FleetSnapshot(const FleetProcesses& stage,
                             const std::vector<std::string>& questions) {
  std::vector<std::vector<std::string>> asked;
  for (const std::string& question : questions) asked.push_back(words_in(question));
  const auto began = std::chrono::steady_clock::now();
  const std::vector<ProcessResult> answers = stage.ask_all(asked);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  took_s_ = took.count() * stage.speed();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string& question = questions[i];
    if (answers[i].exit_code != 0) {
      complaints_.push_back(
          fmt::format("{}: exit code {}: {}", question, answers[i].exit_code, answers[i].err));
      continue;
    }
    texts_[question] = answers[i].out;
    if (question.find("--json") == std::string::npos) continue;
    auto parsed = Json::parse(answers[i].out);
    if (parsed) {
      json_[question] = std::move(*parsed);
    } else {
      complaints_.push_back(fmt::format("{}: {}", question, parsed.error().message));
    }
  }
}

const Json& FleetSnapshot::json(const std::string& question) const {
  static const Json none;
  const auto found = json_.find(question);
  return found == json_.end() ? none : found->second;
}

const std::string& FleetSnapshot::text(const std::string& question) const {
  static const std::string none;
  const auto found = texts_.find(question);
  return found == texts_.end() ? none : found->second;
}

const Json& FleetSnapshot::jobs() const {
  const Json& told = json("jobs --json --ended 1000");
  return told.is_object() ? told["jobs"] : told;
}

const Json& FleetSnapshot::table(const std::string& name) const {
  return json(fmt::format("frame --table {} --json", name));
}

std::vector<std::string> words_in(const std::string& text) { return entries_of(text, ' '); }

std::map<std::string, std::string> lines_of(const std::string& table) {
  std::map<std::string, std::string> lines;
  std::istringstream stream(table);
  std::string line;
  std::getline(stream, line);  // headings
  while (std::getline(stream, line)) {
    const auto words = words_in(line);
    if (!words.empty()) lines[words.front()] = line;
  }
  return lines;
}

std::string shown(const Json& value) { return value.is_text() ? value.text() : value.dump(); }

const Json& row_with(const Json& rows, const std::string& key, const std::string& value) {
  static const Json none;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i][key].text() == value) return rows[i];
  }
  return none;
}

}  // namespace drover::operations
