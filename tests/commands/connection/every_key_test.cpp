// Every key of the table of keys, and the mouse, on the real binary in a pseudo-terminal with a
// real router behind it: what is pressed shows on the screen.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "fleet/base/text.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/small_fleet.h"
#include "tui/keymap.h"

namespace drover::commands {
namespace {

/// What an xterm sends; keys that send their own letter are not named.
const std::map<std::string, std::string, std::less<>>& sent_by_keys() {
  static const std::map<std::string, std::string, std::less<>> bytes = {
      {"Enter", "\r"},     {"Esc", "\x1b"},      {"Tab", "\t"},      {"Shift-Tab", "\x1b[Z"},
      {"Space", " "},      {"Up", "\x1bOA"},     {"Down", "\x1bOB"}, {"Right", "\x1bOC"},
      {"Left", "\x1bOD"},  {"Home", "\x1bOH"},   {"End", "\x1bOF"},  {"PgUp", "\x1b[5~"},
      {"PgDn", "\x1b[6~"}, {"F1", "\x1bOP"},     {"Ctrl-C", "\x03"}, {"Ctrl-B", "\x02"},
      {"Ctrl-F", "\x06"},  {"Ctrl-D", "\x04"},   {"Ctrl-U", "\x15"}, {"Ctrl-P", "\x10"},
      {"Ctrl-L", "\x0c"},  {"Backspace", "\x7f"}};
  return bytes;
}

std::string mouse(int button, int column, int row) {
  const auto event = [&](char end) {
    return "\x1b[<" + std::to_string(button) + ";" + std::to_string(column + 1) + ";" +
           std::to_string(row + 1) + end;
  };
  return button < 64 ? event('M') + event('m') : event('M');
}

/// A fleet worth looking at, and the dashboard of it.
class Driven {
 public:
  bool start() {
    if (!fleet_.start()) return false;
    agent_ = std::make_unique<DroverProcess>(
        fleet_.with_connect({"agent", "--name", "h-2", "--devices", "tpu-v5e:8"}));
    for (int i = 0; i < 3; ++i) {
      const ProcessResult ran = fleet_.ask({"submit", "--kind", "train", "--model", "bert-large",
                                            "--steps", "9000000", "--devices", "1"});
      if (ran.exit_code != 0) return false;
    }
    top_ = std::make_unique<PseudoTerminal>(
        fleet_.with_connect({"top", "--control", "--no-config"}), 120, 40);
    return top_->shows("h-1") && top_->shows("h-2");
  }

  void press(std::string_view key) {
    const auto known = sent_by_keys().find(key);
    top_->type(known == sent_by_keys().end() ? std::string(key) : known->second);
    pressed_.insert(std::string(key));
    // A lone Esc is told from the beginning of another key by the pause behind it.
    if (key == "Esc") usleep(120'000);
  }
  void press_all(std::string_view keys) {
    for (const std::string& key : split(keys, ' ')) press(key);
  }
  void type(const std::string& text) { top_->type(text); }
  bool shows(const std::string& text) { return top_->shows(text, std::chrono::seconds(10)); }
  bool hides(const std::string& text) {
    return eventually(
        [&] {
          top_->shows("", std::chrono::seconds(0));
          return top_->screen().find(text) == std::string::npos;
        },
        std::chrono::seconds(10));
  }
  /// Clicks on the first place where the text stands, and stays: a frame comes in several pieces.
  bool click(const std::string& text, int button = 0) {
    if (!shows(text)) return false;
    constexpr int looks_max = 60;
    std::optional<Place> before;
    for (int look = 0; look < looks_max; ++look, usleep(150'000)) {
      top_->shows("", std::chrono::seconds(0));
      const std::optional<Place> place = place_of(text);
      if (place && place == before) {
        top_->type(mouse(button, place->column, place->row));
        return true;
      }
      before = place;
    }
    return false;
  }
  void wheel(int direction) { top_->type(mouse(direction < 0 ? 64 : 65, 40, 10)); }

  const std::set<std::string>& pressed() const { return pressed_; }
  PseudoTerminal& top() { return *top_; }
  std::string trouble() const { return fleet_.trouble(); }

 private:
  struct Place {
    int column = 0, row = 0;
    bool operator==(const Place&) const = default;
  };
  /// The first place where the text stands.
  std::optional<Place> place_of(const std::string& text) const {
    const std::vector<std::string> lines = split(top_->screen(), '\n');
    for (std::size_t row = 0; row < lines.size(); ++row) {
      const auto at = lines[row].find(text);
      if (at != std::string::npos)
        return Place{columns_before(lines[row], at), static_cast<int>(row)};
    }
    return std::nullopt;
  }
  static int columns_before(const std::string& line, std::size_t at) {
    return static_cast<int>(column_width(std::string_view(line).substr(0, at)));
  }

  SmallFleet fleet_;
  std::unique_ptr<DroverProcess> agent_;
  std::unique_ptr<PseudoTerminal> top_;
  std::set<std::string> pressed_;
};

/// One line of a script: "press j j Enter | Device h-1/1", "click POWER | by POWER". Before the bar
/// what is done, behind it what comes to stand on the screen, or with a "!" what leaves it.
struct Step {
  std::string line, act, words, shown;
  bool leaves = false;
};

std::vector<Step> script(const std::string& name) {
  std::vector<Step> steps;
  std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/tests/commands/scripts/" + name);
  for (std::string line; std::getline(file, line);) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto bar = line.find(" | ");
    Step step{
        line, {}, {}, std::string(trimmed(line.substr(std::min(bar, line.size() - 3) + 3))), false};
    const std::string done(trimmed(line.substr(0, bar)));
    const auto blank = std::min(done.find(' '), done.size());
    step.act = done.substr(0, blank);
    step.words = std::string(trimmed(done.substr(blank)));
    step.leaves = step.shown.starts_with("!");
    if (step.leaves) step.shown.erase(0, 1);
    steps.push_back(std::move(step));
  }
  return steps;
}

bool act(Driven& driven, const Step& step) {
  if (step.act == "press") driven.press_all(step.words);
  if (step.act == "type") driven.type(step.words);
  if (step.act == "click") return driven.click(step.words);
  if (step.act == "resize") {
    const auto blank = step.words.find(' ');
    driven.top().resize(std::stoi(step.words), std::stoi(step.words.substr(blank)));
  }
  if (step.act == "wheel") driven.wheel(step.words == "up" ? -1 : 1);
  return true;
}

/// Stops at the first line that does not hold: the next ones build on it.
void follow(Driven& driven, const std::string& name) {
  const std::vector<Step> steps = script(name);
  ASSERT_FALSE(steps.empty()) << name;
  for (const Step& step : steps) {
    ASSERT_TRUE(act(driven, step)) << step.line << "\n" << driven.top().screen();
    ASSERT_TRUE(step.leaves ? driven.hides(step.shown) : driven.shows(step.shown))
        << step.line << "\n"
        << driven.top().screen();
  }
}

TEST(OnATerminal, EveryKeyDoesWhatItsHelpSays) {
  Driven driven;
  ASSERT_TRUE(driven.start()) << driven.trouble();
  follow(driven, "every_key.txt");
  if (testing::Test::HasFatalFailure()) return;
  for (const tui::Binding& binding : tui::bindings()) {
    for (const std::string& key : split(binding.keys, ' ')) {
      const bool elsewhere = key.starts_with("Wheel") || key == "Ctrl-C";  // the mouse's script
      EXPECT_TRUE(elsewhere || driven.pressed().contains(key))
          << key << " (" << binding.help << ") is in no line of the script";
    }
  }
  EXPECT_TRUE(driven.top().ends());
  EXPECT_EQ(driven.top().exit_code(), 0);
  EXPECT_TRUE(driven.top().restored());
}

TEST(OnATerminal, TheMouseSelectsSortsScrollsAndPressesHints) {
  Driven driven;
  ASSERT_TRUE(driven.start()) << driven.trouble();
  follow(driven, "mouse.txt");
  if (testing::Test::HasFatalFailure()) return;
  driven.press("Ctrl-C");
  EXPECT_TRUE(driven.top().ends());
  EXPECT_TRUE(driven.top().restored());
}

}  // namespace
}  // namespace drover::commands
