#include "commands/build_facts.h"

#include <string_view>

#include <fmt/format.h>

#include "commands/drover_revision.h"
#include "fleet/base/version.h"

namespace drover::commands {

std::string build_facts() {
  constexpr std::string_view revision = DROVER_REVISION;
  return fmt::format("{}\nrevision   {}\ncompiler   {}\nbuild      {}\nlibraries  {}\n",
                     software_name, revision.empty() ? "not known" : revision, DROVER_COMPILER,
                     DROVER_BUILD, DROVER_LIBRARIES);
}

}  // namespace drover::commands
