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
#include "tui/terminal/colour_support.h"

namespace drover::tui {
namespace {

// Upper limits of what ncurses writes to move the cursor, to change the style, and to end a frame.
constexpr std::size_t move_bytes_max = 12;
constexpr std::size_t style_bytes_max = 60;  // with two colours of 24 bits
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

Colours colours_of_entry(bool told_direct) {
  const auto has = [](const char* name) {
    return tigetflag(name) > 0 || tigetnum(name) > 0 || entry_string(name) != nullptr;
  };
  return colours_of(
      {tigetnum("colors"), entry_string("setaf") != nullptr, has("RGB") || has("Tc"), told_direct});
}

/// Whether the entry's sequences of 256 colours are those that `with_direct_colours` knows.
bool has_known_sequences() {
  const char* const text = entry_string("setaf");
  if (text == nullptr || tigetnum("colors") != 256) return false;
  ColourSlots slots = no_colour_slots();
  constexpr int some = 200;
  slots[some] = 0;
  const std::string bytes = tparm(text, some);
  return with_direct_colours(bytes, slots) != bytes;
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

Colours TerminfoEntry::colours(bool told_direct) const { return colours_of_entry(told_direct); }

struct CursesScreen::State {
  std::FILE* file = nullptr;  // in memory
  SCREEN* screen = nullptr;
  bool rich = false, unicode = false;
  // How ncurses shows each style, and behind the styles each shade of the heat scale.
  struct Paint {
    attr_t attributes = A_NORMAL;
    int pair = 0;
    bool is_clear = false;  // blanks show nothing
  };
  std::vector<Paint> paints;
  ColourSlots slots = no_colour_slots();
  std::string drawn;  // what ncurses has written for this frame

  Size size{0, 0};
  std::vector<Row> shown;
  bool known = false;
  bool whole = true;
  std::size_t next_row = 0;  // where a cut frame continues

  ~State();
  Status open(const std::string& terminal, const Look& look);
  void set_styles(const Look& look, Colours colours);
  void make_pairs(const std::vector<CellPaint>& wanted, bool coloured);
  Row row_of(const Canvas& canvas, int number) const;
  std::size_t paint_of_cell(const Cell& cell) const;
  cchar_t cell_of(const wchar_t* text, std::size_t paint) const;
  bool scrolls(const std::vector<Row>& rows) const;
  void clear(Size wanted);
  bool put(std::size_t number, const Row& row, std::size_t& room);
  void update();
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
  const Colours found = colours_of_entry(look.told_direct);
  const Colours colours =
      colours_used(look.theme, look.colours == Colours::detect ? found : look.colours);
  const bool lacks = colours > found || (colours >= Colours::many && !has_known_sequences());
  if (lacks && terminal != colourful_terminal) {
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
  drawn.clear();  // what enters ncurses's own modes; the terminal is in ours
  return {};
}

void CursesScreen::State::set_styles(const Look& look, Colours colours) {
  const bool coloured =
      colours != Colours::none && start_color() == OK && use_default_colors() == OK;
  rich = is_rich(look.theme, colours);
  std::vector<CellPaint> wanted;
  const auto want = [&](CellStyle style, HeatShade shade) {
    wanted.push_back(tui::paint_of(style, shade, look.theme, coloured ? colours : Colours::none));
  };
  for (int i = 0; i < cell_style_count; ++i) want(static_cast<CellStyle>(i), 0);
  for (int i = 1; colours == Colours::direct && i <= heat_shade_count; ++i) {
    want(CellStyle::heat0, static_cast<HeatShade>(i));
  }
  make_pairs(wanted, coloured);
  // The plain style is a pair of colours, too: from others to it ncurses then changes the colour
  // only.
  const cchar_t blank = cell_of(L" ", static_cast<std::size_t>(CellStyle::plain));
  bkgrndset(&blank);
}

/// Gives ncurses a pair of colours for each. Slots are numbers that none of them uses.
void CursesScreen::State::make_pairs(const std::vector<CellPaint>& wanted, bool coloured) {
  std::array<bool, no_colour_slots().size()> used{};
  const auto note = [&](int colour) {
    if (colour >= 0 && colour < direct_colour) used[static_cast<std::size_t>(colour)] = true;
  };
  for (const CellPaint& paint : wanted) {
    note(paint.foreground);
    note(paint.background);
  }
  std::size_t next = 16;  // the first ones are the terminal's own
  const auto number_of = [&](int colour) {
    if (colour < direct_colour) return colour;
    while (used[next]) ++next;
    slots[next] = colour - direct_colour;
    return static_cast<int>(next++);
  };
  for (const CellPaint& paint : wanted) {
    const attr_t attributes = attributes_of(paint.attributes);
    const int pair = coloured ? static_cast<int>(paints.size()) + 1 : 0;
    paints.push_back({attributes, pair, (attributes & A_REVERSE) == 0 && paint.background < 0});
    if (!coloured) continue;
    init_extended_pair(pair, number_of(paint.foreground), number_of(paint.background));
  }
}

/// The index in `paints` of a cell's look.
std::size_t CursesScreen::State::paint_of_cell(const Cell& cell) const {
  const std::size_t shade = cell_style_count + std::size_t{cell.shade} - 1;
  return cell.shade > 0 && shade < paints.size() ? shade : static_cast<std::size_t>(cell.style);
}

cchar_t CursesScreen::State::cell_of(const wchar_t* text, std::size_t paint) const {
  cchar_t cell{};
  setcchar(&cell, text, paints[paint].attributes, 0, &paints[paint].pair);
  return cell;
}

Row CursesScreen::State::row_of(const Canvas& canvas, int number) const {
  Row row;
  auto paint = static_cast<std::size_t>(CellStyle::plain);
  for (int i = 0; i < canvas.size().columns; ++i) {
    const Cell& cell = canvas.at(i, number);
    const bool within = cell.text.empty();
    const std::string_view text = within ? "?" : text_shown(cell, rich);
    // A blank that shows nothing has the style before it, which saves a change of style.
    const std::size_t own = paint_of_cell(cell);
    if (text != " " || !paints[own].is_clear || !paints[paint].is_clear) paint = own;
    if (within && i > 0 && row.back().chars[0] != L'?') {
      row.push_back({});
      continue;
    }
    const int width = canvas.at(i + 1, number).text.empty() ? 2 : 1;
    const bool known_there = unicode || is_ascii(text);
    row.push_back(cell_of(known_there ? characters_of(text, width).data() : L"?", paint));
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
               Row(static_cast<std::size_t>(size.columns),
                   cell_of(L" ", static_cast<std::size_t>(CellStyle::plain))));
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

/// Lets ncurses write, and takes it.
void CursesScreen::State::update() {
  wmove(stdscr, LINES - 1, 0);
  wnoutrefresh(stdscr);
  doupdate();
  const int memory = fileno(file);
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(0, lseek(memory, 0, SEEK_CUR))), '\0');
  if (bytes.empty()) return;
  DROVER_REQUIRE(pread(memory, bytes.data(), bytes.size(), 0) ==
                 static_cast<ssize_t>(bytes.size()));
  DROVER_REQUIRE(ftruncate(memory, 0) == 0 && lseek(memory, 0, SEEK_SET) == 0);
  drawn += paints.size() > cell_style_count ? with_direct_colours(bytes, slots) : bytes;
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
    return bytes_max - std::min(bytes_max, state.drawn.size() + end_bytes_max);
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
  return std::exchange(state.drawn, {});
}

}  // namespace drover::tui
