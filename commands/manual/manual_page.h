// Pages for `man`, from the same tables as `--help`. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/verb_table.h"

namespace drover::commands {

struct ManualPage {
  std::string file;  // "drover-top.1"
  std::string text;  // roff with the macros of man(7)
};

/// drover(1): the program, its commands, variables, files and exit codes.
ManualPage program_page();
/// drover-VERB(1).
ManualPage verb_page(const Verb& verb);
/// All of them, without hidden verbs.
std::vector<ManualPage> manual_pages();

/// The text so that roff shows it as it is, however its lines begin.
std::string roff_text(std::string_view text);

}  // namespace drover::commands
