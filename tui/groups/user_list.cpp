#include "tui/groups/user_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

std::string known_name(const std::string& name) {
  return name.empty() ? std::string(not_known) : name;
}

std::string tenant_column(const UserTotals& user, Instant) { return known_name(user.tenant); }
std::string user_column(const UserTotals& user, Instant) { return known_name(user.user); }

template <std::uint32_t UserTotals::*count>
std::string user_count(const UserTotals& user, Instant) {
  return user.*count == 0 ? "-" : count_text(user.*count);
}

/// ">" before a count to which jobs that are not known may add.
template <std::uint32_t UserTotals::*count>
std::string user_count_of_jobs(const UserTotals& user, Instant now) {
  return user.is_lower_bound ? ">" + count_text(user.*count) : user_count<count>(user, now);
}

template <std::uint32_t UserTotals::*count>
double user_count_key(const UserTotals& user, Instant) {
  return user.*count;
}

/// ">" before a sum that lacks some device.
template <KnownSum UserTotals::*sum, std::string (*text)(double)>
std::string user_sum(const UserTotals& user, Instant) {
  const KnownSum& known = user.*sum;
  if (is_only_waiting(user)) return "-";
  if (std::isnan(known.sum)) return std::string(not_known);
  return (known.missing > 0 ? ">" : "") + text(known.sum);
}

template <KnownSum UserTotals::*sum>
double user_sum_key(const UserTotals& user, Instant) {
  return (user.*sum).sum;
}

std::string gibibytes_text(double bytes) {
  return fmt::format("{:.1f}", bytes / (1024.0 * 1024.0 * 1024.0));
}

std::string oldest_column(const UserTotals& user, Instant now) {
  return user.oldest ? duration_text(std::max(0.0, std::floor(to_seconds(now - user.oldest_at))))
                     : std::string(not_known);
}

double oldest_key(const UserTotals& user, Instant now) {
  return user.oldest ? to_seconds(now - user.oldest_at) : absent;
}

constexpr std::array user_column_table = {
    UserColumn{"TENANT", 14, Align::left, 0, tenant_column, nullptr},
    UserColumn{"USER", 10, Align::left, 1, user_column, nullptr},
    UserColumn{"HOSTS", 6, Align::right, 10, user_count_of_jobs<&UserTotals::hosts>,
               user_count_key<&UserTotals::hosts>},
    UserColumn{"DEVICES", 7, Align::right, 2, user_count_of_jobs<&UserTotals::devices>,
               user_count_key<&UserTotals::devices>},
    UserColumn{"MEM GiB", 7, Align::right, 5, user_sum<&UserTotals::memory_bytes, gibibytes_text>,
               user_sum_key<&UserTotals::memory_bytes>},
    UserColumn{"POWER", 7, Align::right, 3, user_sum<&UserTotals::power_w, watts_text>,
               user_sum_key<&UserTotals::power_w>},
    UserColumn{"$/h", 7, Align::right, 4, user_sum<&UserTotals::usd_per_h, dollars_text>,
               user_sum_key<&UserTotals::usd_per_h>},
    UserColumn{"RUN", 6, Align::right, 6, user_count_of_jobs<&UserTotals::running>,
               user_count_key<&UserTotals::running>},
    UserColumn{"WAIT", 6, Align::right, 7, user_count_of_jobs<&UserTotals::waiting>,
               user_count_key<&UserTotals::waiting>},
    UserColumn{"PROC", 4, Align::right, 8, user_count<&UserTotals::processes>,
               user_count_key<&UserTotals::processes>},
    UserColumn{"OLDEST", 6, Align::right, 9, oldest_column, oldest_key},
};

void sort_users(UserList& list, Instant now) {
  const UserColumn& column = user_column_table[static_cast<std::size_t>(list.sort_column)];
  const auto value = [&](const UserTotals& user) {
    const double key = column.key(user, now);
    if (std::isnan(key)) return std::numeric_limits<double>::infinity();
    return list.reversed ? key : -key;
  };
  const auto name_less = [&](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return !a.empty() && b.empty();  // what is not known comes last
    return list.reversed ? natural_less(b, a) : natural_less(a, b);
  };
  // Users that are equal stay in the order of their names.
  std::ranges::stable_sort(list.usage.users, [&](const UserTotals& a, const UserTotals& b) {
    if (column.key != nullptr) return value(a) < value(b);
    const bool by_tenant = list.sort_column == 0;
    return name_less(by_tenant ? a.tenant : a.user, by_tenant ? b.tenant : b.user);
  });
}

/// "POWER: at least that, as 2 of its devices do not tell it".
void add_missing_sum(std::vector<std::string>& texts, std::string_view title,
                     std::string_view parts, const KnownSum& sum, std::string_view nobody) {
  if (sum.missing == 0) return;
  texts.push_back(std::isnan(sum.sum)
                      ? fmt::format("{}: {}", title, nobody)
                      : fmt::format("{}: at least that, as {} of its {} do not tell it", title,
                                    sum.missing, parts));
}

}  // namespace

std::span<const UserColumn> user_columns() { return user_column_table; }

int user_power_column() { return 5; }
static_assert(user_column_table[5].title == "POWER");

void lay_out_users(UserList& list, const Model& model, const FleetFilter& fleet_filter, Instant now,
                   Duration recount_every) {
  const std::pair of(model.structure(), fleet_filter.result());
  const bool due = now < list.counted_at || saturating_add(list.counted_at, recount_every) <= now;
  if (list.counted_of == of && !due) return;
  list.counted_of = of;
  list.counted_at = now;
  RowPredicate counts_device;
  JobPredicate counts_job;
  if (fleet_filter.active()) {
    counts_device = [&](DeviceTable::Row row) { return fleet_filter.shows(row); };
    counts_job = [&](const JobChanged& job) { return fleet_filter.shows(model, job); };
  }
  list.usage = usage_of(model, now, counts_device, counts_job);
  sort_users(list, now);
}

int index_of_chosen(const UserList& list) {
  return index_where(list.usage.users, [&](const UserTotals& user) {
    return list.chosen && user.is(list.chosen->first, list.chosen->second);
  });
}

void step_user_sort(UserList& list, int step) {
  advance(list.sort_column, static_cast<int>(user_column_table.size()), step);
  list.reversed = false;
  list.counted_of.reset();
  list.place = ListViewport{};
}

void invert_users(UserList& list) {
  list.reversed = !list.reversed;
  list.counted_of.reset();
}

bool is_only_waiting(const UserTotals& user) { return user.running == 0 && user.processes == 0; }

std::vector<std::string> missing_texts(const UserTotals& user) {
  std::vector<std::string> texts;
  if (user.tenant.empty())
    texts.emplace_back("TENANT: the driver tells neither user nor namespace");
  if (user.user.empty()) {
    texts.emplace_back(user.processes > 0 ? "USER: the driver tells no user of these processes"
                                          : "USER: jobs name a tenant, but no user");
  }
  const bool lost = user.devices == 0 && user.running > 0;
  if (lost) texts.emplace_back("MEM GiB, POWER, $/h: the hosts of its jobs are lost or unknown");
  add_missing_sum(texts, "MEM GiB", "devices and processes", user.memory_bytes,
                  "none of its devices and processes tell it");
  add_missing_sum(texts, "POWER", "devices", user.power_w, "none of its devices report it");
  add_missing_sum(texts, "$/h", "devices", user.usd_per_h,
                  "neither policy nor spec has a price of its devices");
  if (!user.oldest) texts.emplace_back("OLDEST: processes do not tell when they began");
  return texts;
}

}  // namespace drover::tui
