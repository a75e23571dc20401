#include "tui/tables/log_groups.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/text/nodeset.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {
namespace {

bool is_alert(LogEntryKind kind) {
  return kind == LogEntryKind::raised || kind == LogEntryKind::alert ||
         kind == LogEntryKind::alert_acknowledged || kind == LogEntryKind::alert_cleared;
}

/// Entries that may be in one group are equal in this. Texts of a device's alerts contain its
/// figures, so its host stands for them.
using GroupKey = std::tuple<LogEntryKind, Severity, std::string, std::string, std::string>;

GroupKey key_of(const LogEntry& entry) {
  const std::size_t slash = entry.subject.find('/');
  const bool of_device = is_alert(entry.kind) && slash != std::string::npos;
  return {entry.kind, entry.severity, entry.rule, entry.acknowledged_by,
          of_device ? entry.subject.substr(0, slash + 1) : entry.text};
}

/// Numbers of one host's devices or replicas: "v5e-2", "", 8, or "gpu-b", "r", 2.
struct NumberedSubject {
  std::string host, letters;
  int number = 0;
};

/// At most seven digits: larger numbers are no devices.
std::optional<NumberedSubject> numbered_subject(const std::string& subject) {
  const std::size_t slash = subject.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string last = subject.substr(slash + 1);
  const std::size_t digits = last.find_last_not_of("0123456789") + 1;
  const std::string number = last.substr(digits);
  const bool leading_zero = number.size() > 1 && number[0] == '0';
  if (number.empty() || number.size() > 7 || leading_zero) return std::nullopt;
  return NumberedSubject{subject.substr(0, slash), last.substr(0, digits), std::stoi(number)};
}

/// "0,2,8-15"
std::string ranges_text(const std::set<int>& numbers) {
  std::vector<std::string> ranges;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    for (auto next = std::next(last); next != numbers.end() && *next == *last + 1; ++next) {
      last = next;
    }
    ranges.push_back(first == last ? fmt::format("{}", *first)
                                   : fmt::format("{}-{}", *first, *last));
    first = std::next(last);
  }
  return joined(ranges, ",");
}

/// A job's short name is a hexadecimal number, which has no ranges.
bool is_short_job(const std::string& name) {
  return name.size() == 8 && std::ranges::all_of(name, [](char letter) {
           return std::isxdigit(static_cast<unsigned char>(letter)) != 0;
         });
}

/// Names in the notation of clusters, if that is one word; else as they are.
std::vector<std::string> folded(const std::vector<std::string>& names) {
  const std::string text = fold_nodeset(names);
  const std::size_t close = text.find(']');
  const bool one_word = names.size() > 1 && close != std::string::npos &&
                        text.find(',', close) == std::string::npos &&
                        text.find(',') > text.find('[');
  return one_word ? std::vector<std::string>{text} : names;
}

std::vector<std::string> subject_words(const LogGroup& group) {
  std::map<std::pair<std::string, std::string>, std::set<int>> numbers;  // of host and letters
  std::set<std::string> names, jobs;
  for (const LogEntry& entry : group) {
    if (const auto subject = numbered_subject(entry.subject)) {
      numbers[{subject->host, subject->letters}].insert(subject->number);
    } else {
      (is_short_job(entry.subject) ? jobs : names).insert(entry.subject);
    }
  }
  std::map<std::string, std::vector<std::string>> hosts;  // by what they have after the slash
  for (const auto& [place, of_place] : numbers) {
    hosts[place.second + ranges_text(of_place)].push_back(place.first);
  }
  std::vector<std::string> words = folded({names.begin(), names.end()});
  words.insert(words.end(), jobs.begin(), jobs.end());
  for (const auto& [ending, of_ending] : hosts) {
    for (const std::string& host : folded(of_ending)) {
      words.push_back(fmt::format("{}/{}", host, ending));
    }
  }
  return words;
}

/// The parts between ": " with which both texts begin. Figures are in the last ones.
std::string shared_beginning(const std::string& a, const std::string& b) {
  if (a == b) return a;
  std::size_t shared = 0;
  for (std::size_t end = a.find(": "); end != std::string::npos; end = a.find(": ", end + 1)) {
    if (b.compare(0, end + 2, a, 0, end + 2) != 0) break;
    shared = end;
  }
  return a.substr(0, shared);
}

}  // namespace

std::vector<LogGroup> group_log(std::vector<LogEntry> entries) {
  std::vector<LogGroup> groups;
  std::map<GroupKey, std::size_t> latest;  // index of the group that an entry can join
  for (LogEntry& entry : entries) {
    const auto [known, is_new] = latest.try_emplace(key_of(entry), groups.size());
    if (!is_new && groups[known->second].back().at - entry.at <= group_gap) {
      groups[known->second].push_back(std::move(entry));
      continue;
    }
    known->second = groups.size();
    groups.push_back({std::move(entry)});
  }
  return groups;
}

std::string subjects_text(const LogGroup& group) { return joined(subject_words(group), ", "); }

std::string subjects_text(const LogGroup& group, int columns) {
  if (group.size() == 1) return group.front().subject;
  const std::string all = subjects_text(group);
  if (columns_of(all) <= columns) return all;
  std::set<std::string> subjects;
  for (const LogEntry& entry : group) subjects.insert(entry.subject);
  if (subjects.size() == 1) return group.front().subject;
  return fmt::format("{} and {} more", group.back().subject, subjects.size() - 1);
}

std::string group_text(const LogGroup& group) {
  const LogEntry& first = group.front();
  if (group.size() == 1) return entry_text(first);
  std::string text = first.text;
  for (const LogEntry& entry : group) text = shared_beginning(text, entry.text);
  if (text.empty()) text = first.rule;
  const bool acknowledged = first.kind == LogEntryKind::raised && !first.acknowledged_by.empty();
  return fmt::format("{} ({}{})", text, group.size(),
                     acknowledged ? ", acknowledged by " + first.acknowledged_by : "");
}

}  // namespace drover::tui
