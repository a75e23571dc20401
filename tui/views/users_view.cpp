// Who uses the fleet: what each tenant and user has of it, over all hosts.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int user_details_rows = 7;
constexpr int users_least = 6;  // rows of the table above the details

/// "Who uses it: 3 tenants on 24 of 36 devices"; with ">" before what is not fully known.
std::string users_title(const Usage& usage) {
  std::set<std::string_view> tenants;
  for (const UserTotals& user : usage.users) tenants.insert(user.tenant);
  const char* const least = usage.unknown_jobs > 0 ? ">" : "";
  return fmt::format("Who uses it: {}{} on {}{} of {}", least, counted(tenants.size(), "tenant"),
                     least, usage.used, counted(usage.devices, "device"));
}

std::string users_order_text(const UserList& list) {
  const UserColumn& column = user_columns()[static_cast<std::size_t>(list.sort_column)];
  if (column.key == nullptr) {
    return fmt::format("by {}, {}", column.title, list.reversed ? "descending" : "ascending");
  }
  return fmt::format("by {}, {} first", column.title, list.reversed ? "least" : "most");
}

/// What nobody uses: "not in use: 3 devices, 2.1kW of 9.3kW".
std::string unattributed_text(const Usage& usage) {
  double rest_w = usage.power_w;
  for (const UserTotals& user : usage.users) {
    if (!std::isnan(user.power_w.sum)) rest_w -= user.power_w.sum;
  }
  if (std::isnan(rest_w)) return "power: no device reports it";
  return fmt::format("not in use: {}, {} of {}", counted(usage.devices - usage.used, "device"),
                     watts_text(std::max(0.0, rest_w)), watts_text(usage.power_w));
}

class UsersView : public View {
 public:
  explicit UsersView(UiState& ui) : View(ui, &ui.users.place), list_(ui.users) {}

  void forget_layout() override { list_.counted_of.reset(); }

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    const int selected_user = selected(frame.model);
    DrawRegion table = region.on(table_);
    table.heading(0, users_title(list_.usage), users_order_text(list_));
    draw_table(frame, region.on({table_.column, table_.row + 1, table_.columns, table_.rows - 1}),
               selected_user);
    if (details_.rows > 0) draw_details(frame, region.on(details_), std::max(0, selected_user));
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [&](const UserTotals& user, int item) {
      return CompactLine{
          fmt::format(
              "{} {} {}{} dev {}", shown_name(user.tenant),
              user.user.empty() ? "" : printable(user.user), user.is_lower_bound ? ">" : "",
              user.devices,
              user_columns()[static_cast<std::size_t>(user_power_column())].text(user, frame.now)),
          CellStyle::plain, item};
    };
    return list_lines(list_.usage.users, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    lay_out_users(list_, at.model, ui_.fleet_filter, at.now, at.resort_every);
    const std::vector<Rect> parts =
        cut_rows(at.body, {{users_least, 1'000, 1}, {user_details_rows, user_details_rows, 0}}, 1);
    table_ = parts[0];
    details_ = parts[1];
    list_.place.scroll_to(selected(at.model), items(), table_.rows - 2);
    return {};
  }

  std::optional<int> count() const override { return static_cast<int>(list_.usage.users.size()); }
  int selected(const Model&) const override { return index_of_chosen(list_); }

  void select(const Model&, int index, int) override {
    const UserTotals& user = list_.usage.users[static_cast<std::size_t>(index)];
    list_.chosen = UserName(user.tenant, user.user);
    list_.place.row = -1;
  }

  std::string search_text(const Model&, int index) const override {
    const UserTotals& user = list_.usage.users[static_cast<std::size_t>(index)];
    return user.tenant + " " + user.user;
  }

  /// Its devices, or its jobs if it has no device.
  std::optional<ViewId> open_selected(const KeyContext& context) override {
    const int index = selected(context.model);
    if (index < 0) return std::nullopt;
    const UserTotals& user = list_.usage.users[static_cast<std::size_t>(index)];
    std::vector<FilterCondition> conditions;
    if (!user.tenant.empty()) conditions.push_back({"tenant", user.tenant});
    if (!user.user.empty()) conditions.push_back({"user", user.user});
    if (conditions.empty()) {
      context.cursor.say("no filter selects processes of which neither tenant nor user is known");
      return std::nullopt;
    }
    narrow(ui_, conditions, user.user.empty() ? user.tenant : user.user);
    if (user.devices > 0) return ViewId::devices;
    ui_.jobs.filter = JobFilter::all;
    return ViewId::jobs;
  }

  bool back() override { return std::exchange(list_.chosen, std::nullopt).has_value(); }
  void tag(const KeyContext& context) override {
    context.cursor.say("users have no tags: Enter shows what they use");
  }

 private:
  static std::string shown_name(const std::string& name) {
    return name.empty() ? std::string(not_known) : printable(name);
  }

  void draw_table(const FrameContext& frame, DrawRegion region, int selected_user) const {
    auto columns = fit_columns<UserColumn>(user_columns(), 1, region.columns() - 1);
    const int room = std::max(0, region.columns() - column_after(columns, 1));
    widen(columns, "TENANT", std::min(room / 2, 18));
    widen(columns, "USER", std::min(room / 2, 14));
    region.on(region.row_area(0)).blank(CellStyle::title);
    for (const auto& [column, at, width] : columns) {
      const int number = static_cast<int>(column - user_columns().data());
      const bool sorts = number == list_.sort_column;
      // Without colours alone, the mark shows the sort column.
      const bool down = (column->key != nullptr) != list_.reversed;
      const std::string mark = !sorts           ? ""
                               : region.ascii() ? (down ? "v" : "^")
                                                : (down ? "▼" : "▲");
      const auto left = static_cast<std::size_t>(width - static_cast<int>(column_width(mark)));
      region.field(at, 0, width, std::string(column->title.substr(0, left)) + mark,
                   sorts ? CellStyle::badge : CellStyle::title, column->align);
    }
    const auto draw = [&](int row, std::size_t item) {
      const UserTotals& user = list_.usage.users[item];
      for (const auto& [column, at, width] : columns) {
        const std::string text = column->text(user, frame.now);
        const bool none = text == not_known || text == "-";
        region.field(at, row, width, text,
                     none                      ? CellStyle::faint
                     : column->title == "WAIT" ? CellStyle::warm
                                               : CellStyle::plain,
                     column->align);
      }
      return true;
    };
    draw_items(frame, region, 1, list_.place, list_.usage.users.size(), selected_user, draw);
    if (list_.usage.users.empty()) {
      region.text(1, 1, frame.nothing_text("user", "nobody uses the fleet: no job, no process"),
                  CellStyle::faint);
    }
  }

  /// What is not known of the selected user, else of the first one, and what no user has.
  void draw_details(const FrameContext& frame, DrawRegion region, int index) const {
    const Usage& usage = list_.usage;
    if (usage.users.empty()) return region.heading(0, "Not known");
    const UserTotals& user = usage.users[static_cast<std::size_t>(index)];
    const std::string name =
        shown_name(user.tenant) + (user.user.empty() ? "" : ", " + printable(user.user));
    region.heading(0, "Notes on " + name,
                   frame.ui.fleet_filter.active() ? "of what the filter shows" : "");
    int row = 1;
    const auto add = [&](const std::string& text) {
      if (row < region.rows()) region.field(1, row++, region.columns() - 1, text, CellStyle::faint);
    };
    if (usage.unknown_jobs > 0) {
      add(fmt::format("{} known only to the router: > marks counts that may be higher",
                      usage.unknown_jobs == 1 ? "1 open job is"
                                              : count_text(usage.unknown_jobs) + " open jobs are"));
    }
    add(unattributed_text(usage));
    if (usage.unlisted > 0) {
      add(fmt::format("{} list no processes: who uses them is not known",
                      counted(usage.unlisted, "real device")));
    }
    if (usage.left_out > 0) {
      add(fmt::format("{} with little memory left out by the agents",
                      counted(usage.left_out, "process", "processes")));
    }
    for (const std::string& text : missing_texts(user)) add(text);
  }

  UserList& list_;
  Rect table_, details_;
};

}  // namespace

std::unique_ptr<View> make_users_view(UiState& ui) { return std::make_unique<UsersView>(ui); }

}  // namespace drover::tui
