// The page of tasks is tried: its keys, from the first screen of a dashboard, show what it says.
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/sample_session.h"
#include "tui/keymap.h"

namespace drover::tui {
namespace {

struct Task {
  std::string question;
  std::vector<std::string> keys;   // names of keys; of prompts, the line with its first key
  std::size_t presses = 0;         // as the page counts them
  std::vector<std::string> shows;  // texts of the screen after the last key
};

std::vector<std::string> texts_between_backticks(std::string_view cell) {
  std::vector<std::string> found;
  const std::vector<std::string> parts = split(cell, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) found.push_back(parts[i]);
  return found;
}

/// The rows of the page's tables: | question | keys | presses | on the screen |.
std::vector<Task> tasks_of_page() {
  std::ifstream page(DROVER_SOURCE_DIR "/docs/tasks.md");
  std::vector<Task> tasks;
  for (std::string line; std::getline(page, line);) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() != 6 || texts_between_backticks(cells[2]).empty()) continue;
    tasks.push_back({std::string(trimmed(cells[1])), texts_between_backticks(cells[2]),
                     static_cast<std::size_t>(std::stoul(cells[3])),
                     texts_between_backticks(cells[4])});
  }
  return tasks;
}

bool is_line(const std::string& key) {
  return key.size() > 1 && (key[0] == ':' || key[0] == '/' || key[0] == '@');
}

void press(SampleSession& session, const std::string& key) {
  if (is_line(key)) {
    session.type(key);
  } else {
    session.press({key.c_str()});
  }
}

bool answers(SampleSession& session, const Task& task) {
  const std::string text = session.text();
  return std::ranges::all_of(
      task.shows, [&](const std::string& part) { return text.find(part) != std::string::npos; });
}

TEST(Tasks, TheKeysOfEachTaskShowItsAnswer) {
  const std::vector<Task> tasks = tasks_of_page();
  ASSERT_GE(tasks.size(), 10u);
  for (const Task& task : tasks) {
    SampleSession session("fleet", {120, 40}, true);
    std::size_t presses = 0;
    ASSERT_FALSE(task.shows.empty()) << task.question;
    EXPECT_FALSE(answers(session, task)) << task.question << ": answered before any key";
    for (const std::string& key : task.keys) {
      press(session, key);
      presses += is_line(key) ? key.size() : 1;
    }
    EXPECT_EQ(presses, task.presses) << task.question;
    EXPECT_TRUE(answers(session, task)) << task.question << "\n" << session.text();
  }
}

TEST(Tasks, NoKeyOfATaskCanBeLeftOut) {
  for (const Task& task : tasks_of_page()) {
    for (std::size_t left_out = 0; left_out < task.keys.size(); ++left_out) {
      SampleSession session("fleet", {120, 40}, true);
      for (std::size_t i = 0; i < task.keys.size(); ++i) {
        if (i != left_out) press(session, task.keys[i]);
      }
      EXPECT_FALSE(answers(session, task)) << task.question << " without " << task.keys[left_out];
    }
  }
}

TEST(Tasks, NoSingleKeyWouldDoForATaskOfSeveral) {
  std::set<std::string> keys;
  for (const Binding& binding : bindings()) {
    for (const std::string& key : split(binding.keys, ' ')) keys.insert(key);
  }
  const std::vector<Task> tasks = tasks_of_page();
  for (const std::string& key : keys) {
    SampleSession session("fleet");
    session.press({key.c_str()});
    for (const Task& task : tasks) {
      EXPECT_TRUE(task.presses == 1 || !answers(session, task)) << task.question << ": " << key;
    }
  }
}

}  // namespace
}  // namespace drover::tui
