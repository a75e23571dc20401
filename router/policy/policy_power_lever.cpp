// [limits] power_lever.
#include "router/policy/policy_read.h"

namespace drover::router {

LeverRules read_power_lever(toml_file::Table table) {
  LeverRules rules;
  rules.used = true;
  rules.near = read_share(table, "near", rules.near);
  rules.back = read_share(table, "back", rules.back);
  rules.floor = read_share(table, "floor", rules.floor);
  rules.step = read_share(table, "step", rules.step);
  rules.every = from_seconds(table.number_in("every_s", 1, 3600, to_seconds(rules.every)));
  if (rules.near > 1) table.complain("near", "expected at most 100%");
  if (rules.back >= rules.near) {
    table.complain("back", "expected less than `near`: caps would swing");
  }
  if (rules.floor <= 0 || rules.floor > 1) {
    table.complain("floor", "expected more than 0 and at most 100%");
  }
  if (rules.step <= 0 || rules.step > 1) {
    table.complain("step", "expected more than 0 and at most 100%");
  }
  return rules;
}

}  // namespace drover::router
