// [[rule]] preempt: which running work may be preempted for the rule's jobs.
#include "fleet/base/text.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

constexpr double grace_max_s = 24 * 3600;

}  // namespace

Preempt read_preempt(toml_file::Table table) {
  Preempt preempt;
  for (const std::string& word : table.texts("may")) {
    const auto kind = parse_kind_word(word);
    if (!kind) {
      preempt.classes.push_back(word);
    } else if (*kind == WorkKind::train) {
      preempt.trainings = true;
    } else {
      table.add_problem("may", fmt::format("found \"{}\": only training can be preempted, expected "
                                           "training or names of classes",
                                           printable(word)));
    }
  }
  if (!preempt.trainings && preempt.classes.empty()) {
    table.add_problem("may", "found nothing, expected training or names of classes");
  }
  const std::string mode = table.text("mode", "requeue");
  if (mode != "requeue") {
    table.add_problem("mode", fmt::format("found \"{}\", expected requeue", printable(mode)));
  }
  if (table.has("grace_s")) {
    preempt.grace = from_seconds(table.number_in("grace_s", 0, grace_max_s));
  }
  return preempt;
}

}  // namespace drover::router
