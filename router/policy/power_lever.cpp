// [limits] power_lever.
#include "router/policy/read.h"

namespace drover::router {

PowerLeverRules read_power_lever(toml_file::Table table) {
  PowerLeverRules rules;
  rules.used = true;
  rules.near = read_share(table, "near", rules.near);
  rules.back = read_share(table, "back", rules.back);
  rules.floor = read_share(table, "floor", rules.floor);
  rules.step = read_share(table, "step", rules.step);
  rules.every = from_seconds(table.number_in("every_s", 1, 3600, to_seconds(rules.every)));
  if (rules.near > 1) table.add_problem("near", "expected at most 100%");
  if (rules.back >= rules.near) {
    table.add_problem("back", "expected less than `near`: caps would oscillate");
  }
  if (rules.floor <= 0 || rules.floor > 1) {
    table.add_problem("floor", "expected more than 0 and at most 100%");
  }
  if (rules.step <= 0 || rules.step > 1) {
    table.add_problem("step", "expected more than 0 and at most 100%");
  }
  return rules;
}

}  // namespace drover::router
