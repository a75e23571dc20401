#include "tests/operations/runbook_table.h"

#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

namespace drover::operations {
namespace {

/// What stands between the bars of a line; none for a line that is no row.
std::vector<std::string> cells_of(const std::string& line) {
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') return {};
  std::vector<std::string> cells;
  std::string cell;
  for (const char letter : line.substr(1)) {
    if (letter != '|') {
      cell += letter;
      continue;
    }
    const auto words = entries_of(cell, '|');
    cells.push_back(words.empty() ? "" : words.front());
    cell.clear();
  }
  return cells;
}

bool is_rule(const std::vector<std::string>& cells) {
  return cells.front().find_first_not_of("-:") == std::string::npos && !cells.front().empty();
}

/// Reads row after row: those without a number go on with the step above.
class Reader {
 public:
  Status take(const std::vector<std::string>& cells, std::size_t line) {
    if (cells.front() == "#") {
      columns_ = cells;
      return {};
    }
    if (cells.size() != columns_.size()) {
      return error("line {}: found {} cells, expected {}", line, cells.size(), columns_.size());
    }
    if (!cells.front().empty()) {
      const int number = std::atoi(cells.front().c_str());
      const int next = static_cast<int>(steps_.size()) + 1;
      if (number != next) {
        return error("line {}: found step '{}', expected {}", line, cells.front(), next);
      }
      steps_.push_back({number, {}, {}});
    }
    if (steps_.empty()) return error("line {}: no step has begun", line);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (const Status taken = take_cell(columns_[i], cells[i], line); !taken) return taken;
    }
    return {};
  }
  std::vector<Step> steps() && { return std::move(steps_); }

 private:
  Status take_cell(const std::string& column, const std::string& cell, std::size_t line) {
    Step& step = steps_.back();
    for (const std::string& entry : entries_of(cell)) {
      if (column == "done") {
        step.actions.push_back({entry, {}, line});
      } else if (column == "answer") {
        if (step.actions.empty()) return error("line {}: nothing is done that answers", line);
        step.actions.back().answers.push_back(entry);
      } else if (column == "within") {
        step.within = std::chrono::seconds(std::atoi(entry.c_str()));
        if (step.within.count() < 1) return error("line {}: within '{}'", line, entry);
      } else {
        step.expected.push_back({column, entry, line});
      }
    }
    return {};
  }

  std::vector<std::string> columns_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<std::string> entries_of(const std::string& cell, char between) {
  std::vector<std::string> entries;
  std::istringstream stream(cell);
  for (std::string entry; std::getline(stream, entry, between);) {
    const std::size_t from = entry.find_first_not_of(' ');
    if (from == std::string::npos) continue;
    entries.push_back(entry.substr(from, entry.find_last_not_of(' ') - from + 1));
  }
  return entries;
}

Result<std::vector<Step>> read_day(const std::string& text) {
  Reader reader;
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const auto cells = cells_of(line);
    if (cells.empty() || is_rule(cells)) continue;
    if (const Status taken = reader.take(cells, number); !taken) return taken.error();
  }
  return std::move(reader).steps();
}

}  // namespace drover::operations
