#include "tests/operations/stage.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/text/json.h"

namespace drover::operations {
namespace {

using commands::DroverProcess;
using commands::ProcessResult;
using Mismatches = std::vector<std::string>;

constexpr const char* speed_text = "20";
constexpr std::chrono::seconds patience{60};

std::string without(const std::string& text, const std::string& start) {
  return text.starts_with(start) ? text.substr(start.size()) : "";
}

/// "drover submit .. as NAME": the name, and the line without it.
std::pair<std::string, std::string> named(const std::string& line) {
  std::smatch match;
  static const std::regex as("(.*) as ([a-z][a-z-]*)");
  return std::regex_match(line, match, as) ? std::pair(match.str(1), match.str(2))
                                           : std::pair(line, std::string());
}

/// What is not as it should be: the exit code (0 unless told), and each text that is expected.
Mismatches held_against(const std::vector<std::string>& answers, const ProcessResult& ran) {
  int exit_code = 0;
  Mismatches complaints;
  for (const std::string& answer : answers) {
    if (const std::string code = without(answer, "exit "); !code.empty()) {
      exit_code = std::atoi(code.c_str());
    } else if (!std::regex_search(ran.out + ran.err, std::regex(answer))) {
      complaints.push_back(
          fmt::format("answer: expected '{}', found '{}{}'", answer, ran.out, ran.err));
    }
  }
  if (ran.exit_code != exit_code) {
    complaints.push_back(fmt::format("exit code: expected {}, found {}: {}{}", exit_code,
                                     ran.exit_code, ran.out, ran.err));
  }
  return complaints;
}

}  // namespace

Mismatches FleetProcesses::act(const Action& action) {
  const std::string& text = action.text;
  if (const std::string name = without(text, "kill -9 "); !name.empty()) return end(name, SIGKILL);
  if (const std::string name = without(text, "Ctrl-C "); !name.empty()) return end(name, SIGINT);
  if (text.starts_with("router")) {
    auto words = words_of(text);
    words.insert(words.end(), {"--listen", endpoint_, "--ledger", folder_.file("ledger.sqlite"),
                               "--speed", speed_text});
    return start("router", words);
  }
  if (text.starts_with("agent ")) {
    auto words = words_of(text);
    const std::string name = words.at(1);
    words.insert(words.begin() + 1, "--name");
    return start(name, with_connect(words));
  }
  if (text.starts_with("drover ")) return command(action);
  return {fmt::format("no such action: {}", text)};
}

Mismatches FleetProcesses::start(const std::string& name, const std::vector<std::string>& words) {
  running_.erase(name);
  auto& started = running_[name] = std::make_unique<DroverProcess>(words);
  if (name == "router" && !started->says("router ready", patience)) {
    return {fmt::format("the router is not ready: {}", started->err())};
  }
  return {};
}

Mismatches FleetProcesses::end(const std::string& name, int signal) {
  const auto found = running_.find(name);
  if (found == running_.end()) return {fmt::format("{} does not run", name)};
  found->second->signal(signal);
  const ProcessResult ran = found->second->wait(patience);
  running_.erase(found);
  if (signal == SIGKILL || ran.exit_code == 0) return {};
  return {fmt::format("{}: exit code {}: {}", name, ran.exit_code, ran.err)};
}

Mismatches FleetProcesses::command(const Action& action) {
  const auto [line, name] = named(action.text);
  if (!name.empty()) return submit(name, action);
  std::vector<std::string> words = words_of(line);
  words.erase(words.begin());
  const ProcessResult ran = ask(words);
  Mismatches complaints = held_against(action.answers, ran);
  const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  if (const auto parsed = Json::parse(ran.out); json && !parsed) {
    complaints.push_back(fmt::format("no JSON: {}: {}", parsed.error().message, ran.out));
  }
  return complaints;
}

/// "drover submit --times 8 .. as NAME": so many of them.
Mismatches FleetProcesses::submit(const std::string& name, const Action& action) {
  std::vector<std::string> words = words_of(named(action.text).first);
  words.erase(words.begin());
  int times = 1;
  if (words.size() > 2 && words[1] == "--times") {
    times = std::atoi(words[2].c_str());
    words.erase(words.begin() + 1, words.begin() + 3);
  }
  words.emplace_back("--json");
  auto& ids = jobs_[name];
  ids.clear();
  for (const ProcessResult& ran : ask_all(std::vector(static_cast<std::size_t>(times), words))) {
    const auto complaints = held_against(action.answers, ran);
    if (!complaints.empty()) return complaints;
    ids.push_back(commands::only_object(ran.out)["id"].text());
    if (ids.back().empty()) return {fmt::format("submit: no id in '{}'", ran.out)};
  }
  return {};
}

ProcessResult FleetProcesses::ask(std::vector<std::string> words) const {
  return commands::run_drover(with_connect(std::move(words)), patience);
}

std::vector<ProcessResult> FleetProcesses::ask_all(
    const std::vector<std::vector<std::string>>& questions) const {
  std::vector<std::unique_ptr<DroverProcess>> asked;
  for (const auto& words : questions) {
    asked.push_back(std::make_unique<DroverProcess>(with_connect(words)));
  }
  std::vector<ProcessResult> answers;
  for (const auto& program : asked) answers.push_back(program->wait(patience));
  return answers;
}

double FleetProcesses::speed() const { return std::atof(speed_text); }

const std::vector<std::string>& FleetProcesses::jobs_named(const std::string& name) const {
  static const std::vector<std::string> none;
  const auto found = jobs_.find(name);
  return found == jobs_.end() ? none : found->second;
}

std::string FleetProcesses::ended() const {
  std::string text;
  for (const auto& [name, program] : running_) {
    if (program->ends(std::chrono::seconds(0))) text += name + ": " + program->err();
  }
  return text;
}

std::vector<std::string> FleetProcesses::with_connect(std::vector<std::string> words) const {
  words.insert(words.end(), {"--connect", endpoint_});
  return words;
}

std::vector<std::string> FleetProcesses::words_of(const std::string& line) const {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) {
    if (word.front() == '$') {
      const auto& ids = jobs_named(word.substr(1));
      words.insert(words.end(), ids.begin(), ids.end());
    } else if (word.ends_with(".toml")) {
      words.push_back(std::string(DROVER_SOURCE_DIR) + "/tests/operations/" + word);
    } else {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace drover::operations
