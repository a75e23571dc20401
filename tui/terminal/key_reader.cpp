// A control sequence is ESC [, parameters (0x30 to 0x3F), intermediates (0x20 to 0x2F) and a final
// byte (ECMA-48, 5.4). Mouse reports: ESC [ < button ; column ; row M, or m for a release, and the
// old ESC [ M with three bytes, which ends at column 223 (xterm, "Mouse Tracking").
#include "tui/terminal/key_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

// Longer than the gap between the bytes of one key on a usable link, and not noticeable after Esc.
constexpr KeyReader::SteadyTime escape_delay{50};
// A paste may arrive in many pieces, and its end may be lost.
constexpr KeyReader::SteadyTime paste_delay{2000};
constexpr KeyReader::SteadyTime double_click{400};

// Reports have about 15 bytes; anything longer is no sequence of a terminal.
constexpr std::size_t sequence_bytes_max = 64;
constexpr int parameter_max = 10'000;

constexpr std::string_view paste_end = "\x1b[201~";

struct Final {
  char letter;
  std::string_view name;
};
// ESC [ or ESC O, and one of these: arrows, Home and End, F1 to F4, the keypad's Enter.
constexpr std::array finals = {
    Final{'A', "Up"},   Final{'B', "Down"}, Final{'C', "Right"}, Final{'D', "Left"},
    Final{'H', "Home"}, Final{'F', "End"},  Final{'P', "F1"},    Final{'Q', "F2"},
    Final{'R', "F3"},   Final{'S', "F4"},   Final{'M', "Enter"}, Final{'Z', "Shift-Tab"},
};

struct Numbered {
  int number;
  std::string_view name;
};
// ESC [, one of these numbers, and ~.
constexpr std::array numbered = {
    Numbered{1, "Home"}, Numbered{2, "Insert"}, Numbered{3, "Delete"}, Numbered{4, "End"},
    Numbered{5, "PgUp"}, Numbered{6, "PgDn"},   Numbered{7, "Home"},   Numbered{8, "End"},
    Numbered{11, "F1"},  Numbered{12, "F2"},    Numbered{13, "F3"},    Numbered{14, "F4"},
    Numbered{15, "F5"},  Numbered{17, "F6"},    Numbered{18, "F7"},    Numbered{19, "F8"},
    Numbered{20, "F9"},  Numbered{21, "F10"},   Numbered{23, "F11"},   Numbered{24, "F12"},
};

std::string_view name_of_final(char letter) {
  const auto found = std::ranges::find(finals, letter, &Final::letter);
  return found == finals.end() ? std::string_view() : found->name;
}

std::string_view name_of_number(int number) {
  const auto found = std::ranges::find(numbered, number, &Numbered::number);
  return found == numbered.end() ? std::string_view() : found->name;
}

std::string name_of_control(char byte) {
  switch (byte) {
    case '\t':
      return "Tab";
    case '\r':
    case '\n':
      return "Enter";
    case 0x1B:
      return "Esc";
    case 0x7F:
    case '\b':
      return "Backspace";
    default:
      return std::string("Ctrl-") + static_cast<char>('@' + byte);
  }
}

/// `code`: xterm's code of the modifiers, their bits plus one.
std::string with_modifiers(std::string_view name, int code) {
  const int bits = code > 1 ? code - 1 : 0;
  std::string whole;
  if (bits & 4) whole += "Ctrl-";
  if (bits & 2) whole += "Alt-";
  if (bits & 1) whole += "Shift-";
  return whole.append(name);
}

/// Numbers separated by semicolons, missing ones 0; empty if the text has anything else.
std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> numbers(1, 0);
  for (const char c : text) {
    if (c == ';') {
      numbers.push_back(0);
    } else if (c >= '0' && c <= '9') {
      numbers.back() = std::min(parameter_max, numbers.back() * 10 + (c - '0'));
    } else {
      return {};
    }
  }
  return numbers;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The length of the UTF-8 character that begins with this byte; 0 if none does.
std::size_t character_bytes(char byte) {
  const auto first = static_cast<unsigned char>(byte);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

}  // namespace

KeyReader::KeyReader(std::vector<KeySequence> own) : own_(std::move(own)) {
  std::erase_if(own_, [](const KeySequence& key) {
    return key.bytes.size() < 2 || key.bytes.front() != '\x1b';
  });
}

std::vector<Key> KeyReader::read(std::string_view bytes, SteadyTime now) {
  std::vector<Key> keys;
  now_ = now;
  pending_ += bytes;
  while (!pending_.empty() && take(keys) == ParseStep::consumed) {
  }
  return keys;
}

KeyReader::SteadyTime KeyReader::deadline() const {
  return now_ + (pasting_ ? paste_delay : escape_delay);
}

std::vector<Key> KeyReader::flush_incomplete() {
  std::vector<Key> keys;
  if (pasting_) {
    pasting_ = false;
    keys.push_back({"Paste", -1, -1, std::exchange(paste_, {})});
    pending_.clear();
    return keys;
  }
  // Esc alone or before a key that begins sequences: anything longer was not typed.
  if (pending_.starts_with('\x1b') && pending_.size() <= 2) {
    for (const char byte : pending_) {
      keys.push_back({byte == '\x1b' ? "Esc" : std::string(1, byte)});
    }
  }
  pending_.clear();
  return keys;
}

KeyReader::ParseStep KeyReader::take(std::vector<Key>& keys) {
  if (pasting_) return take_paste(keys);
  const char first = pending_.front();
  if (first == '\x1b') return take_escape(keys);
  const std::size_t size = character_bytes(first);
  const auto end = std::find_if_not(pending_.begin() + 1, pending_.end(), is_continuation);
  const auto have = static_cast<std::size_t>(end - pending_.begin());
  if (have < size && end == pending_.end()) return ParseStep::wanted;
  if (size == 0 || have < size) {
    drop(1);  // invalid UTF-8
    return ParseStep::consumed;
  }
  take_character(keys);
  return ParseStep::consumed;
}

void KeyReader::take_character(std::vector<Key>& keys) {
  const std::string character = pending_.substr(0, character_bytes(pending_.front()));
  drop(character.size());
  const char first = character.front();
  if (character.size() == 1 && (first < 0x20 || first == 0x7F)) {
    keys.push_back({name_of_control(first)});
  } else if (character == " ") {
    keys.push_back({"Space"});
  } else if (printable(character) == character) {
    keys.push_back({character});
  }
}

KeyReader::ParseStep KeyReader::take_escape(std::vector<Key>& keys) {
  for (const KeySequence& key : own_) {
    if (!pending_.starts_with(key.bytes)) continue;
    drop(key.bytes.size());
    keys.push_back({std::string(key.name)});
    return ParseStep::consumed;
  }
  for (const KeySequence& key : own_) {
    if (key.bytes.starts_with(pending_)) return ParseStep::wanted;
  }
  if (pending_.size() < 2) return ParseStep::wanted;
  const char second = pending_[1];
  if (second == '[') return take_control_sequence(keys);
  if (second == 'O') {
    if (pending_.size() < 3) return ParseStep::wanted;
    const char third = pending_[2];
    std::string_view name = name_of_final(third);
    // The keypad in its application mode sends its characters 0x40 higher.
    const std::string plain(1, static_cast<char>(third - 0x40));
    if (name.empty() && third >= 'j' && third <= 'y') name = plain;
    drop(3);
    if (!name.empty()) keys.push_back({std::string(name)});
    return ParseStep::consumed;
  }
  // Esc and the next key, which arrived together on a slow link.
  drop(1);
  keys.push_back({"Esc"});
  return ParseStep::consumed;
}

KeyReader::ParseStep KeyReader::take_control_sequence(std::vector<Key>& keys) {
  std::size_t end = 2;
  // The Linux console's F1 to F5: ESC [ [ and a letter.
  if (pending_.size() > 2 && pending_[2] == '[') ++end;
  while (end < pending_.size() && pending_[end] >= 0x20 && pending_[end] < 0x40) ++end;
  if (end >= sequence_bytes_max) {
    drop(end);
    return ParseStep::consumed;
  }
  if (end == pending_.size()) return ParseStep::wanted;
  const char final = pending_[end];
  if (final < 0x20 || final == 0x7F) {
    drop(end);  // interrupted by another key
    return ParseStep::consumed;
  }
  const std::string inside = pending_.substr(2, end - 2);
  if (final == 'M' && inside.empty()) return take_old_mouse(keys);
  drop(end + 1);
  if (inside.starts_with('[')) {
    if (final >= 'A' && final <= 'E') keys.push_back({std::string("F") + char('1' + final - 'A')});
    return ParseStep::consumed;
  }
  if (inside.starts_with('<')) {
    const std::vector<int> report = numbers_of(inside.substr(1));
    if (report.size() == 3 && (final == 'M' || final == 'm')) {
      add_mouse(keys, report[0], report[1] - 1, report[2] - 1, final == 'm');
    }
    return ParseStep::consumed;
  }
  const std::vector<int> numbers = numbers_of(inside);
  if (numbers.empty()) return ParseStep::consumed;
  if (final == '~' && numbers[0] == 200) {
    pasting_ = true;
    return ParseStep::consumed;
  }
  // Keys have the number 1, or none, before the modifiers; others are replies of the terminal.
  const std::string_view name = final == '~'      ? name_of_number(numbers[0])
                                : numbers[0] <= 1 ? name_of_final(final)
                                                  : std::string_view();
  if (!name.empty()) keys.push_back({with_modifiers(name, numbers.size() > 1 ? numbers[1] : 0)});
  return ParseStep::consumed;
}

KeyReader::ParseStep KeyReader::take_old_mouse(std::vector<Key>& keys) {
  constexpr std::size_t size = 6;
  if (pending_.size() < size) return ParseStep::wanted;
  const auto number = [&](std::size_t at) {
    return static_cast<int>(static_cast<unsigned char>(pending_[at])) - 32;
  };
  const int button = number(3);
  // The report does not include which button was released.
  add_mouse(keys, button, number(4) - 1, number(5) - 1, (button & 0x43) == 3);
  drop(size);
  return ParseStep::consumed;
}

void KeyReader::add_mouse(std::vector<Key>& keys, int button, int column, int row, bool released) {
  static constexpr std::array<std::string_view, 3> clicks = {"Click", "MiddleClick", "RightClick"};
  static constexpr std::array<std::string_view, 4> wheels = {"WheelUp", "WheelDown", "WheelLeft",
                                                             "WheelRight"};
  if (released || column < 0 || row < 0 || button < 0 || button >= 128) return;
  const auto which = static_cast<std::size_t>(button & 3);
  const bool moved = (button & 32) != 0;
  if (moved && which != 0) return;
  const bool wheel = (button & 64) != 0;
  if (!wheel && which == 3) return;
  const std::string_view name = moved ? "Drag" : wheel ? wheels[which] : clicks[which];
  const int modifiers = ((button & 4) ? 1 : 0) + ((button & 8) ? 2 : 0) + ((button & 16) ? 4 : 0);
  Key key{with_modifiers(name, modifiers + 1), column, row, {}};
  if (key.name == "Click" && key == last_click_ && now_ - last_click_at_ <= double_click) {
    key.name = "DoubleClick";
    last_click_ = {};
  } else if (!moved) {
    last_click_ = key;
    last_click_at_ = now_;
  }
  keys.push_back(std::move(key));
}

KeyReader::ParseStep KeyReader::take_paste(std::vector<Key>& keys) {
  const std::size_t end = pending_.find(paste_end);
  const bool whole = end != std::string::npos;
  // Keep the beginning of the end marker until it is complete.
  std::size_t consumed = whole ? end : pending_.size();
  if (!whole) {
    const std::size_t escape = pending_.rfind('\x1b');
    if (escape != std::string::npos && paste_end.starts_with(pending_.substr(escape))) {
      consumed = escape;
    }
  }
  const std::size_t room = paste_bytes_max - paste_.size();
  paste_.append(pending_, 0, std::min(consumed, room));
  drop(whole ? consumed + paste_end.size() : consumed);
  if (!whole) return ParseStep::wanted;
  pasting_ = false;
  keys.push_back({"Paste", -1, -1, std::exchange(paste_, {})});
  return ParseStep::consumed;
}

}  // namespace drover::tui
