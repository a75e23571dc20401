// What terminals send, and what a person did.
#include "tui/terminal/key_reader.h"

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"

namespace drover::tui {
namespace {

using namespace std::chrono_literals;

/// Names of keys, those of the mouse with their cell.
std::string words(const std::vector<Key>& keys) {
  std::string text;
  for (const Key& key : keys) {
    if (!text.empty()) text += ' ';
    text += key.name;
    if (key.column >= 0) text += '@' + std::to_string(key.column) + ',' + std::to_string(key.row);
    if (!key.text.empty()) text += '=' + key.text;
  }
  return text;
}

std::string words_of(std::string_view bytes) { return words(KeyReader().read(bytes, 0ms)); }

TEST(KeyReader, NamesTheKeyForEachByteSequence) {
  struct Case {
    std::string_view bytes;
    const char* keys;
  };
  for (const Case& c : {
           Case{"qG?", "q G ?"},
           {" \t\r\n", "Space Tab Enter Enter"},
           {"\x7f\b", "Backspace Backspace"},
           {"\x03\x0c\x1a", "Ctrl-C Ctrl-L Ctrl-Z"},
           {std::string_view("\0", 1), "Ctrl-@"},
           {"\x1b[A\x1b[B\x1b[C\x1b[D", "Up Down Right Left"},  // cursor keys as they are
           {"\x1bOA\x1bOB\x1bOC\x1bOD", "Up Down Right Left"},  // and in their application mode
           {"\x1b[H\x1bOF\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "Home End Home End Home End"},
           {"\x1b[5~\x1b[6~\x1b[2~\x1b[3~\x1b[Z", "PgUp PgDn Insert Delete Shift-Tab"},
           {"\x1bOP\x1b[11~\x1b[[A\x1b[15~\x1b[24~", "F1 F1 F1 F5 F12"},  // xterm, rxvt, console
           {"\x1b[1;5C\x1b[1;2A\x1b[5;7~", "Ctrl-Right Shift-Up Ctrl-Alt-PgUp"},
           {"\x1bOM\x1bOq\x1bOk", "Enter 1 +"},  // the keypad in its application mode
           {"\xc3\xa9\xe6\xbc\xa2", "é 漢"},
       }) {
    EXPECT_EQ(words_of(c.bytes), c.keys) << c.keys;
    // However the bytes are cut on their way.
    KeyReader reader;
    std::vector<Key> keys;
    for (const char byte : c.bytes) {
      for (Key& key : reader.read(std::string_view(&byte, 1), 0ms)) keys.push_back(key);
    }
    EXPECT_EQ(words(keys), c.keys) << "byte by byte: " << c.keys;
    EXPECT_FALSE(reader.waiting()) << c.keys;
  }
}

TEST(KeyReader, EscIsAKeyOnceNothingFollows) {
  KeyReader reader;
  EXPECT_TRUE(reader.read("\x1b", 100ms).empty());
  ASSERT_TRUE(reader.waiting());
  EXPECT_GT(reader.deadline(), 100ms);
  EXPECT_EQ(words(reader.flush_incomplete()), "Esc");
  EXPECT_FALSE(reader.waiting());
  EXPECT_EQ(words_of("\x1bq"), "Esc q") << "a slow link joins the two";
  EXPECT_EQ(words_of("\x1b\x1b[A"), "Esc Up");
  EXPECT_TRUE(reader.read("\x1b[", 200ms).empty());
  EXPECT_EQ(words(reader.flush_incomplete()), "Esc [") << "[ is a key too";
}

TEST(KeyReader, UnknownSequencesProduceNoKeys) {
  for (const char* bytes : {
           "\x1b[?62;c",                      // answers of the terminal
           "\x1b[12;40R", "\x1b[0n",          //
           "\x1b[I", "\x1b[O",                // its window comes and goes
           "\x1b[99~", "\x1b[1;2;3;4u",       // keys of others
           "\x1b[<0;5M", "\x1b[<1;1;1;1M",    // a mouse with parts missing
           "\x1b[<0;0;7M",                    // outside the screen
           "\xff", "\xc0\xaf", "\xe2\x82q\b"  // no characters
       }) {
    EXPECT_EQ(words_of(std::string(bytes) + "j"),
              std::string_view(bytes).ends_with("q\b") ? "q Backspace j" : "j")
        << bytes + 1;
  }
  KeyReader reader;
  EXPECT_TRUE(reader.read("\x1b[<0;12;", 0ms).empty());
  EXPECT_TRUE(reader.flush_incomplete().empty()) << "half a report is no digits";
  EXPECT_EQ(words(reader.read("\x1b[" + std::string(100'000, '1') + "j", 0ms)).back(), 'j');
  EXPECT_FALSE(reader.waiting());
}

TEST(KeyReader, ReportsWhereTheMouseWas) {
  EXPECT_EQ(words_of("\x1b[<0;1;1M\x1b[<0;1;1m"), "Click@0,0");
  EXPECT_EQ(words_of("\x1b[<2;300;99M"), "RightClick@299,98") << "beyond column 223";
  EXPECT_EQ(words_of("\x1b[<1;3;4M"), "MiddleClick@2,3");
  EXPECT_EQ(words_of("\x1b[<64;3;4M\x1b[<65;3;4M"), "WheelUp@2,3 WheelDown@2,3");
  EXPECT_EQ(words_of("\x1b[<66;3;4M\x1b[<67;3;4M"), "WheelLeft@2,3 WheelRight@2,3");
  EXPECT_EQ(words_of("\x1b[<16;3;4M"), "Ctrl-Click@2,3");
  EXPECT_EQ(words_of("\x1b[<0;3;4M\x1b[<32;5;4M\x1b[<0;5;4m"), "Click@2,3 Drag@4,3");
  EXPECT_EQ(words_of("\x1b[<35;5;4M"), "") << "moved with no button down";
  EXPECT_EQ(words_of("\x1b[M !!j"), "Click@0,0 j") << "the old report, in bytes";
  EXPECT_EQ(words_of("\x1b[M#!!\x1b[M`\xff!"), "WheelUp@222,0") << "a release says no button";
}

TEST(KeyReader, TwoQuickClicksInACellAreADoubleClick) {
  const std::string click = "\x1b[<0;7;3M\x1b[<0;7;3m";
  KeyReader reader;
  EXPECT_EQ(words(reader.read(click, 1000ms)), "Click@6,2");
  EXPECT_EQ(words(reader.read(click, 1300ms)), "DoubleClick@6,2");
  EXPECT_EQ(words(reader.read(click, 1400ms)), "Click@6,2") << "the third begins anew";
  EXPECT_EQ(words(reader.read(click, 2000ms)), "Click@6,2") << "too late";
  EXPECT_EQ(words(reader.read("\x1b[<0;8;3M", 2100ms)), "Click@7,2") << "elsewhere";
}

TEST(KeyReader, APasteIsOneEventNotKeys) {
  EXPECT_EQ(words_of("\x1b[200~q\x1b[A\ry\x1b[201~j"), "Paste=q\x1b[A\ry j");
  KeyReader reader;
  std::vector<Key> keys;
  const std::string_view bytes = "\x1b[200~quit\x1b[20\x1b[201~j";
  for (const char byte : bytes) {
    for (Key& key : reader.read(std::string_view(&byte, 1), 0ms)) keys.push_back(key);
  }
  EXPECT_EQ(words(keys), "Paste=quit\x1b[20 j");
}

TEST(KeyReader, ALongPasteIsTruncatedAndAnUnterminatedOneEnds) {
  const std::string much(100'000, 'q');
  const auto keys = KeyReader().read("\x1b[200~" + much + "\x1b[201~j", 0ms);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].text.size(), paste_bytes_max);
  KeyReader reader;
  EXPECT_TRUE(reader.read("\x1b[200~abc", 0ms).empty());
  ASSERT_TRUE(reader.waiting());
  EXPECT_GE(reader.deadline(), 1000ms) << "a slow link is not the end";
  EXPECT_EQ(words(reader.flush_incomplete()), "Paste=abc");
  EXPECT_EQ(words(reader.read("j", 1ms)), "j");
}

TEST(KeyReader, ReturnsToIdleAfterAnyInput) {
  static constexpr std::string_view likely = "\x1b\x1b\x1b[[[<;O~MmA0129 q\xe6\xbc\xff";
  RandomStream random(3);
  KeyReader reader;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    for (std::uint64_t i = random.below(12); i > 0; --i) {
      bytes += random.below(4) == 0 ? static_cast<char>(random.below(256))
                                    : likely[random.below(likely.size())];
    }
    if (random.below(500) == 0) bytes += "\x1b[200~";
    for (const Key& key : reader.read(bytes, std::chrono::milliseconds(round))) {
      ASSERT_FALSE(key.name.empty());
      ASSERT_LE(key.text.size(), paste_bytes_max);
    }
    if (random.below(10) != 0) continue;
    if (reader.waiting()) reader.flush_incomplete();
    ASSERT_FALSE(reader.waiting());
    ASSERT_EQ(words(reader.read("j", std::chrono::milliseconds(round))), "j");
  }
}

TEST(KeyReader, TheTerminalDatabaseTakesPrecedence) {
  KeyReader reader({{"\x1b[214z", "Home"}, {"\x1bq", "End"}, {"x", "Up"}});
  EXPECT_EQ(words(reader.read("\x1b[214z\x1bqx", 0ms)), "Home End x") << "letters stay letters";
}

}  // namespace
}  // namespace drover::tui
