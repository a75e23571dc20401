#include "commands/manual/manual_page.h"

#include <cctype>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

struct Described {
  const char* name;
  const char* meaning;
};

constexpr Described variables[] = {
    {"DROVER_CONNECT", "the router, if --connect is not given"},
    {"DROVER_KEYS", "the folder of keys, if --keys is not given"},
    {"DROVER_THEME, DROVER_VIEW, ..",
     "settings of the dashboard; they override the settings file (drover config print)"},
    {"DROVER_NVML", "the library that is read for NVIDIA's devices, instead of libnvidia-ml.so.1"},
    {"NO_COLOR", "if not empty: no colours, unless an option or a setting chooses some"},
    {"COLORTERM", "truecolor or 24bit: the dashboard uses 24-bit colour"},
    {"XDG_CONFIG_HOME, XDG_STATE_HOME",
     "the folders of settings, and of ledgers and what the dashboard keeps"},
};

constexpr Described files[] = {
    {"~/.config/drover/top.toml", "settings of the dashboard (drover config)"},
    {"~/.config/drover/keys", "keys for encrypted connections (drover keys)"},
    {"~/.local/state/drover/top.toml",
     "what was chosen on the dashboard: history, bookmarks, columns"},
    {"~/.local/state/drover/ledger.sqlite", "the router's ledger"},
};

// Of the input; roff fills the lines again.
constexpr std::size_t line_columns = 72;

std::string heading(std::string_view title) { return fmt::format(".SH {}\n", title); }

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", roff_text(text)); }

/// As it stands, line by line.
std::string verbatim(std::string_view text) {
  return fmt::format(".nf\n{}\n.fi\n", roff_text(text));
}

std::string filled(std::string_view text) {
  return roff_text(wrapped(text, line_columns, 0)) + "\n";
}

std::string item(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}", term, filled(text));
}

/// Lines that begin with blanks are tables and stay as they are; each other line is a paragraph.
std::string paragraphs(std::string_view description) {
  std::string text, table;
  const auto end_table = [&] {
    if (table.empty()) return;
    table.pop_back();
    text += ".PP\n" + verbatim(table);
    table.clear();
  };
  for (const std::string& line : split(description, '\n')) {
    if (line.starts_with("  ")) {
      table += line + "\n";
      continue;
    }
    end_table();
    if (line.empty()) continue;
    if (!text.empty()) text += ".PP\n";
    text += filled(line);
  }
  end_table();
  return text;
}

std::string option_term(const Option& option) {
  std::string term;
  if (option.letter != 0) term += bold(fmt::format("-{}", option.letter)) + ", ";
  term += bold("--" + option.name);
  if (option.value.empty()) return term;
  return fmt::format("{}{}\\fI{}\\fR", term, option.value_optional() ? "" : " ",
                     roff_text(option.value));
}

std::string page_begin(std::string_view name, std::string_view summary) {
  std::string title(name);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 {} \"{}\" \"Drover\"\n{}{} \\- {}\n", roff_text(title),
                     software_date, software_name, heading("NAME"), roff_text(name),
                     roff_text(summary));
}

std::string exit_status() {
  std::string text = heading("EXIT STATUS");
  for (const ExitCode& each : exit_codes()) {
    text += item(bold(fmt::format("{}", each.code)), each.meaning);
  }
  return text;
}

std::string described(std::string_view title, std::span<const Described> rows) {
  std::string text = heading(title);
  for (const Described& each : rows) text += item(bold(each.name), each.meaning);
  return text;
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    // A line that begins with one of these would be a request.
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

ManualPage program_page() {
  std::string text = page_begin("drover", "watches and routes work over a fleet of GPUs and TPUs");
  text += heading("SYNOPSIS") + fmt::format("{} \\fICOMMAND\\fR [options]\n", bold("drover"));
  text += heading("DESCRIPTION") + filled(program_summary) + ".PP\n" +
          filled(
              "Start with: drover demo. Each command has a page of its own, such as drover-top(1), "
              "and drover COMMAND --help.");
  text += heading("COMMANDS");
  for (const Verb& verb : verb_table()) {
    if (!verb.hidden())
      text += item(fmt::format("\\fB{}\\fR(1)", roff_text(fmt::format("drover-{}", verb.name))),
                   verb.summary);
  }
  text += heading("OPTIONS") + item(bold("--help"), "show the list of commands") +
          item(bold("--version"), "show the version and how it was built");
  text += described("ENVIRONMENT", variables) + described("FILES", files) + exit_status();
  return {"drover.1", text};
}

ManualPage verb_page(const Verb& verb) {
  const CommandUsage usage = full_usage(verb);
  const std::string name = fmt::format("drover-{}", verb.name);
  std::string text = page_begin(name, verb.hidden() ? "for other programs" : verb.summary);
  constexpr std::string_view before = "usage: ";
  text += heading("SYNOPSIS");
  for (const std::string& line : split(usage.synopsis, '\n')) {
    const std::string_view shown = trimmed(line);
    if (text.ends_with("R\n")) text += ".br\n";
    text += fmt::format("\\fB{}\\fR\n",
                        roff_text(shown.starts_with(before) ? shown.substr(before.size()) : shown));
  }
  text += heading("DESCRIPTION") + paragraphs(trimmed(usage.description));
  text += heading("OPTIONS");
  for (const Option& option : usage.options) {
    if (!option.hidden) text += item(option_term(option), option.help);
  }
  text += item(bold("--help"), "show this help");
  text += heading("EXAMPLES") + verbatim(usage.examples) + exit_status();
  text += heading("SEE ALSO") + "\\fBdrover\\fR(1)\n";
  return {name + ".1", text};
}

std::vector<ManualPage> manual_pages() {
  std::vector<ManualPage> pages = {program_page()};
  for (const Verb& verb : verb_table()) {
    if (!verb.hidden()) pages.push_back(verb_page(verb));
  }
  return pages;
}

}  // namespace drover::commands
