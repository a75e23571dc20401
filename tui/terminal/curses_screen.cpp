#include "tui/terminal/curses_screen.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <optional>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns  // term.h makes macros of such words
#undef lines

#include "fleet/base/text.h"
#include "tui/canvas/draw_region.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

// Upper limits of what ncurses writes to move the cursor, to change the style, and to end a frame.
constexpr std::size_t move_bytes_max = 12;
constexpr std::size_t style_bytes_max = 44;
constexpr std::size_t end_bytes_max = 36;

// Draws as for this terminal when the user asks for more colours than the entry has.
constexpr const char* colourful_terminal = "xterm-256color";

std::string* tputs_output = nullptr;

int append_output(int letter) {
  tputs_output->push_back(static_cast<char>(letter));
  return letter;
}

/// The string of the current entry with this name; null if the terminal has none.
const char* entry_string(const char* name) {
  const char* text = tigetstr(name);
  return text == reinterpret_cast<const char*>(-1) ? nullptr : text;
}

Colours colours_of_entry() {
  const int colours = tigetnum("colors");
  if (colours < 8 || entry_string("setaf") == nullptr) return Colours::none;
  return colours >= 256 ? Colours::many : Colours::eight;
}

attr_t attributes_of(unsigned bits) {
  return ((bits & attribute_bold) != 0 ? A_BOLD : A_NORMAL) |
         ((bits & attribute_dim) != 0 ? A_DIM : A_NORMAL) |
         ((bits & attribute_reverse) != 0 ? A_REVERSE : A_NORMAL);
}

/// A row of the screen, a cell for each column; those within a wide character are all zero.
using Row = std::vector<cchar_t>;

bool same(const cchar_t& one, const cchar_t& other) {
  return std::memcmp(&one, &other, sizeof one) == 0;
}

bool same_style(const cchar_t& one, const cchar_t& other) {
  return one.attr == other.attr && one.ext_color == other.ext_color;
}

bool same_character(const cchar_t& one, const cchar_t& other) {
  return one.chars[0] == other.chars[0];
}

std::size_t utf8_bytes(const cchar_t& cell) {
  std::size_t bytes = 0;
  for (const wchar_t c : cell.chars) {
    bytes += c == 0 ? 0 : c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/// The character of a cell and its accents, as many as ncurses takes; "?" if the C library, by
/// which ncurses moves the cursor, gives the character another width.
std::array<wchar_t, CCHARW_MAX + 1> characters_of(std::string_view text, int width) {
  std::array<wchar_t, CCHARW_MAX + 1> all{};
  std::mbstate_t state{};
  for (std::size_t i = 0; i < CCHARW_MAX && !text.empty(); ++i) {
    const std::size_t size = std::mbrtowc(&all[i], text.data(), text.size(), &state);
    if (size == 0 || size > text.size()) break;
    text.remove_prefix(size);
  }
  if (wcwidth(all[0]) != width) all = {L'?'};
  return all;
}

}  // namespace

TerminfoEntry::~TerminfoEntry() {
  if (loaded_) del_curterm(cur_term);
}

Status TerminfoEntry::load(const std::string& name) {
  int known = 0;
  if (setupterm(name.c_str(), STDOUT_FILENO, &known) != OK) {
    return error("TERM={}: {}; try TERM=xterm-256color", name,
                 known == -1 ? "the terminal database was not found"
                             : "this kind of terminal is not in the database or is too simple");
  }
  loaded_ = true;
  if (entry_string("cup") != nullptr) return {};
  return error("TERM={}: this terminal cannot move its cursor; try TERM=xterm-256color", name);
}

std::string TerminfoEntry::capability(const char* name) const {
  std::string bytes;
  const char* text = entry_string(name);
  if (text == nullptr) return bytes;
  tputs_output = &bytes;
  tputs(text, 1, append_output);
  return bytes;
}

int TerminfoEntry::number(const char* name) const { return tigetnum(name); }

struct CursesScreen::State {
  std::FILE* file = nullptr;  // in memory
  SCREEN* screen = nullptr;
  bool coloured = false, rich = false, unicode = false;
  std::array<attr_t, cell_style_count> attributes{};
  std::array<bool, cell_style_count> is_clear{};  // whether blanks of the style show nothing

  Size size{0, 0};
  std::vector<Row> shown;
  bool known = false;
  bool whole = true;
  std::size_t next_row = 0;  // where a cut frame continues

  ~State();
  Status open(const std::string& terminal, const Look& look);
  void set_styles(const Look& look, Colours colours);
  Row row_of(const Canvas& canvas, int number) const;
  cchar_t cell_of(const wchar_t* text, CellStyle style) const;
  bool scrolls(const std::vector<Row>& rows) const;
  void clear(Size wanted);
  bool put(std::size_t number, const Row& row, std::size_t& room);
  void update() const;
  std::size_t written() const;
  std::string take() const;
};

CursesScreen::State::~State() {
  if (screen != nullptr) delscreen(screen);
  if (file != nullptr) std::fclose(file);
}

Status CursesScreen::State::open(const std::string& terminal, const Look& look) {
  // Text is made for UTF-8 in any case.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  // ncurses writes to the file's descriptor itself, so that no stream of the C library will do.
  const int memory = memfd_create("frame", MFD_CLOEXEC);
  if (memory >= 0) file = fdopen(memory, "w+");
  if (file == nullptr) return error("terminal: no memory for a frame: {}", std::strerror(errno));
  screen = newterm(terminal.c_str(), file, file);
  if (screen == nullptr) return error("TERM={}: ncurses cannot use this terminal", terminal);
  const Colours found = colours_of_entry();
  const Colours colours = look.colours == Colours::detect ? found : look.colours;
  if (colours > found && terminal != colourful_terminal) {
    delscreen(std::exchange(screen, nullptr));
    std::fclose(std::exchange(file, nullptr));
    return open(colourful_terminal, look);
  }
  nonl();
  typeahead(-1);
  idcok(stdscr, FALSE);  // inserting and deleting characters saves little
  // Without a way to hide the cursor it is put into a corner.
  leaveok(stdscr, entry_string("civis") != nullptr);
  set_styles(look, colours);
  unicode = look.unicode;
  update();
  take();  // what enters ncurses's own modes; the terminal is in ours
  return {};
}

void CursesScreen::State::set_styles(const Look& look, Colours colours) {
  coloured = colours != Colours::none && start_color() == OK && use_default_colors() == OK;
  rich = colours == Colours::many;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const auto style = static_cast<CellStyle>(i);
    const CellStyleColours& row = colours_of(style, look.theme);
    attributes[i] = attributes_of(coloured ? row.attributes : facts(style).mono_attributes);
    const int background = !coloured ? -1 : rich ? row.background_256 : row.background_8;
    is_clear[i] = (attributes[i] & A_REVERSE) == 0 && background < 0;
    if (!coloured) continue;
    init_extended_pair(static_cast<int>(i) + 1, rich ? row.foreground_256 : row.foreground_8,
                       background);
  }
  // The plain style is a pair of colours, too: from others to it ncurses then changes the colour
  // only.
  const cchar_t blank = cell_of(L" ", CellStyle::plain);
  bkgrndset(&blank);
}

cchar_t CursesScreen::State::cell_of(const wchar_t* text, CellStyle style) const {
  const int pair = coloured ? static_cast<int>(style) + 1 : 0;
  cchar_t cell{};
  setcchar(&cell, text, attributes[static_cast<std::size_t>(style)], 0, &pair);
  return cell;
}

Row CursesScreen::State::row_of(const Canvas& canvas, int number) const {
  Row row;
  CellStyle style = CellStyle::plain;
  const auto clear = [&](CellStyle of) { return is_clear[static_cast<std::size_t>(of)]; };
  for (int i = 0; i < canvas.size().columns; ++i) {
    const Cell& cell = canvas.at(i, number);
    const bool within = cell.text.empty();
    const std::string_view text = within ? "?" : text_shown(cell, rich);
    // A blank that shows nothing has the style before it, which saves a change of style.
    if (text != " " || !clear(cell.style) || !clear(style)) style = cell.style;
    if (within && i > 0 && row.back().chars[0] != L'?') {
      row.push_back({});
      continue;
    }
    const int width = canvas.at(i + 1, number).text.empty() ? 2 : 1;
    const bool drawn = unicode || is_ascii(text);
    row.push_back(cell_of(drawn ? characters_of(text, width).data() : L"?", style));
  }
  return row;
}

/// Whether ncurses could find that a row has moved. It compares the characters of rows.
bool CursesScreen::State::scrolls(const std::vector<Row>& rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::ranges::equal(rows[i], shown[i], same_character)) continue;
    for (const Row& row : shown) {
      if (std::ranges::equal(rows[i], row, same_character)) return true;
    }
  }
  return false;
}

void CursesScreen::State::clear(Size wanted) {
  known = true;
  next_row = 0;
  size = wanted;
  resize_term(size.rows, size.columns);
  werase(stdscr);
  clearok(curscr, TRUE);
  update();
  shown.assign(static_cast<std::size_t>(size.rows),
               Row(static_cast<std::size_t>(size.columns), cell_of(L" ", CellStyle::plain)));
}

/// Gives ncurses as many columns of a row as take at most `room` bytes; false if not all fit.
bool CursesScreen::State::put(std::size_t number, const Row& row, std::size_t& room) {
  Row& before = shown[number];
  const auto start = std::ranges::mismatch(row, before, same).in1;
  auto first = static_cast<std::size_t>(start - row.begin());
  std::size_t end = first;
  for (bool differed = false; end < row.size(); ++end) {
    const cchar_t& cell = row[end];
    const bool differs = !same(cell, before[end]);
    const bool moves = differs && !differed;
    // ncurses may write unchanged cells again rather than move over them.
    const bool restyles = moves || end == 0 || !same_style(cell, row[end - 1]);
    const std::size_t bytes =
        (moves ? move_bytes_max : 0) + (restyles ? style_bytes_max : 0) + utf8_bytes(cell);
    if (bytes > room) break;
    room -= bytes;
    differed = differs;
  }
  // Both halves of a wide character come with the first.
  if (first > 0 && first < end && row[first].chars[0] == 0) --first;
  if (first < end && end < row.size() && row[end].chars[0] == 0) ++end;
  Row cells;
  for (std::size_t i = first; i < end; ++i) {
    before[i] = row[i];
    if (row[i].chars[0] != 0) cells.push_back(row[i]);
  }
  mvadd_wchnstr(static_cast<int>(number), static_cast<int>(first), cells.data(),
                static_cast<int>(cells.size()));
  return end == row.size();
}

void CursesScreen::State::update() const {
  wmove(stdscr, LINES - 1, 0);
  wnoutrefresh(stdscr);
  doupdate();
}

std::size_t CursesScreen::State::written() const {
  return static_cast<std::size_t>(std::max<off_t>(0, lseek(fileno(file), 0, SEEK_CUR)));
}

std::string CursesScreen::State::take() const {
  std::string bytes(written(), '\0');
  if (bytes.empty()) return bytes;
  const int memory = fileno(file);
  DROVER_REQUIRE(pread(memory, bytes.data(), bytes.size(), 0) ==
                 static_cast<ssize_t>(bytes.size()));
  DROVER_REQUIRE(ftruncate(memory, 0) == 0 && lseek(memory, 0, SEEK_SET) == 0);
  return bytes;
}

Result<std::unique_ptr<CursesScreen>> CursesScreen::open(const std::string& terminal,
                                                         const Look& look) {
  auto state = std::make_unique<State>();
  DROVER_TRY(state->open(terminal, look));
  return std::unique_ptr<CursesScreen>(new CursesScreen(std::move(state)));
}

CursesScreen::CursesScreen(std::unique_ptr<State> state) : state_(std::move(state)) {}
CursesScreen::~CursesScreen() = default;

bool CursesScreen::whole() const { return state_->whole; }

void CursesScreen::forget() { state_->known = false; }

std::string CursesScreen::paint(const Canvas& wanted, std::size_t bytes_max) {
  DROVER_REQUIRE(bytes_max >= frame_bytes_min);
  State& state = *state_;
  const Size size = wanted.size();
  if (!state.known || size != state.size) state.clear(size);
  std::vector<Row> rows;
  for (int i = 0; i < size.rows; ++i) rows.push_back(state.row_of(wanted, i));
  const bool by_row = state.scrolls(rows);
  const auto left = [&] {
    return bytes_max - std::min(bytes_max, state.written() + end_bytes_max);
  };
  std::size_t room = left();
  const std::size_t first = std::exchange(state.next_row, 0);
  state.whole = true;
  for (std::size_t i = 0; i < rows.size() && state.whole; ++i) {
    const std::size_t row = (first + i) % rows.size();
    if (std::ranges::equal(rows[row], state.shown[row], same)) continue;
    while (!state.put(row, rows[row], room)) {
      state.update();
      // What was put took fewer bytes than estimated, so that more may fit.
      state.whole = left() > room;
      if (!state.whole) {
        state.next_row = row;
        break;
      }
      room = left();
    }
    if (by_row) {
      state.update();
      room = left();
    }
  }
  state.update();
  return state.take();
}

}  // namespace drover::tui
