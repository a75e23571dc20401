// `drover events`: what happened, oldest first as in a log, once or as it happens.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/query/fleet_client.h"
#include "commands/query/table_output.h"
#include "commands/query/table_verb.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/action_duration.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

const TableVerb events_verb{"events", "events", shown_event_columns()};

/// The beginning of what is listed, in fleet time.
struct Since {
  std::optional<ActionDuration> ago;
  std::optional<Instant> at;

  Instant in(Instant now, double speed) const {
    if (at) return *at;
    return ago ? now - ago->in_fleet_time(speed) : Instant::min();
  }
};

Result<Since> parse_since(std::string_view text, std::string_view place) {
  if (const auto at = parse_timestamp(text)) return Since{{}, *at};
  if (const auto ago = parse_action_duration(text, place)) return Since{*ago, {}};
  return error(
      "{}: found \"{}\", expected a duration (10m, or \"10m fleet\") or a time in UTC "
      "(2026-11-21T02:38:01Z)",
      place, excerpt(text));
}

struct EventRequest {
  tui::FleetFilter filter;
  Since since;
  std::size_t limit = 0;
  TableFormat format = TableFormat::text;
  TableStyle style;
};

/// The table "events", oldest first, without the alerts that are raised now: `drover alerts` lists
/// those, and when they were raised is an event of its own.
tui::TableRows events_of(const tui::Model& model, Instant now, tui::FleetFilter& shown) {
  shown.evaluate(model, now);
  const tui::DeviceList by_name;
  tui::TableRows table = tui::table_rows({model, now, shown, by_name, {}}, events_verb.table);
  const auto kind = std::ranges::find(table.names, "kind") - table.names.begin();
  std::erase_if(table.rows, [&](const auto& row) {
    return row[static_cast<std::size_t>(kind)] == tui::TableCell(std::string("raised"));
  });
  std::ranges::reverse(table.rows);
  return table;
}

/// Takes out older rows, then the oldest beyond the limit. Times as text are in their order.
void limit_events(tui::TableRows& table, Instant since, std::size_t limit) {
  const auto time = std::ranges::find(table.names, "time") - table.names.begin();
  if (since != Instant::min()) {
    const tui::TableCell first = to_iso8601(since);
    std::erase_if(table.rows,
                  [&](const auto& row) { return row[static_cast<std::size_t>(time)] < first; });
  }
  std::ranges::reverse(table.rows);
  limit_rows(table, limit);
  std::ranges::reverse(table.rows);
}

bool is_logged(const Message& body) {
  return std::holds_alternative<Event>(body) || std::holds_alternative<Alert>(body) ||
         std::holds_alternative<Audit>(body) || std::holds_alternative<SnapshotPart>(body);
}

class EventFollower {
 public:
  EventFollower(Session& session, EventRequest& request)
      : session_(session), fleet_(session), request_(request) {}

  Status start() {
    DROVER_TRY(fleet_.subscribe());
    DROVER_TRY(fleet_.read_snapshot());
    tui::TableRows table = events_of(fleet_.model(), fleet_.now(), request_.filter);
    remember_all();
    const Instant since = request_.since.in(fleet_.now(), session_.welcome().speed);
    limit_events(table, since, request_.limit);
    print(table);
    return flush_output();
  }

  /// The router reports an action as an event and, right after it, as an audit, which replaces the
  /// event. So new rows are printed once a turn has brought no more, or the first one has waited,
  /// and in a burst before the model forgets it.
  Status turn(std::chrono::milliseconds longest) {
    bool more = false;
    DROVER_TRY(fleet_.turn(longest, [&](const Envelope& envelope) {
      if (!is_logged(envelope.body)) return;
      more = true;
      if (unprinted_ == 0) first_unprinted_ = wall_now();
      if (++unprinted_ >= tui::events_max / 2) print_new();
    }));
    connect_refusal_.update(session_);
    if (!more || wall_now() - first_unprinted_ > row_wait_max) return print_rest();
    return flush_output();
  }

  /// What has come and is not printed yet.
  Status print_rest() {
    if (unprinted_ > 0) print_new();
    return flush_output();
  }

 private:
  using Key = std::vector<tui::TableCell>;
  static constexpr std::chrono::milliseconds row_wait_max{200};

  /// Also those that the filter hides: a device that matches later brings no old events.
  void remember_all() {
    const tui::TableRows all = events_of(fleet_.model(), fleet_.now(), everything_);
    seen_ = std::set<Key>(all.rows.begin(), all.rows.end());
  }

  void print_new() {
    unprinted_ = 0;
    tui::TableRows fresh = events_of(fleet_.model(), fleet_.now(), request_.filter);
    std::erase_if(fresh.rows, [&](const Key& row) { return seen_.contains(row); });
    remember_all();
    print(fresh);
  }

  void print(const tui::TableRows& table) {
    if (request_.format == TableFormat::json) {
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        write_stdout("{}\n", row_to_json(table, row).dump());
      }
      return;
    }
    const std::string text = request_.format == TableFormat::csv
                                 ? to_csv(table)
                                 : shown_text(table, events_verb.columns, request_.style);
    write_stdout_text(std::exchange(headed_, true) ? text.substr(text.find('\n') + 1) : text);
  }

  Session& session_;
  FleetClient fleet_;
  EventRequest& request_;
  ConnectRefusalNotice connect_refusal_{"drover events"};
  tui::FleetFilter everything_;
  std::set<Key> seen_;         // all rows that the model had when rows were printed last
  std::size_t unprinted_ = 0;  // messages since
  WallTime first_unprinted_{};
  bool headed_ = false;
};

CommandOutcome follow_events(const RouterAddress& endpoint, EventRequest& request,
                             WallSpan duration) {
  constexpr std::chrono::milliseconds wait_max{100};
  StopSignals signals;
  DROVER_ASSIGN(auto session, Session::open({endpoint, Role::viewer, events_verb.name}));
  session->sockets().watch(signals.descriptor());
  EventFollower follower(*session, request);
  DROVER_TRY(follower.start());
  const WallTime begun = wall_now();
  Status turned;
  while (turned && !signals.stopped() && !output_closed() && wall_now() - begun < duration) {
    turned = follower.turn(wait_max);
  }
  const Status printed = follower.print_rest();
  if (!turned || !printed) return (turned ? printed : turned).error();
  return CommandOutcome::done();
}

CommandOutcome list_events(const RouterAddress& endpoint, EventRequest& request) {
  DROVER_ASSIGN(auto session, Session::open({endpoint, Role::client, events_verb.name}));
  FleetClient fleet(*session);
  DROVER_TRY(fleet.read_snapshot());
  tui::TableRows table = events_of(fleet.model(), fleet.now(), request.filter);
  limit_events(table, request.since.in(fleet.now(), session->welcome().speed), request.limit);
  write_stdout_text(table_output(events_verb, table, request.format, request.style));
  return CommandOutcome::done();
}

}  // namespace

CommandUsage events_usage() {
  return {
      "usage: drover events [options]",
      "Prints what happened, oldest first: events of hosts and devices, alerts that were raised, "
      "acknowledged or cleared, and what users did (USER@HOST: action). Times are fleet time. The "
      "router keeps the last 100 events; a recording keeps all (drover record). With --follow it "
      "also prints new events as they happen, until Ctrl-C. With --filter, prints only those that "
      "match, or whose device does (docs/filters.md).\n"
      "Durations of --since are wall-clock time; \"10m fleet\" is fleet time.",
      {connect_option(),
       filter_option(),
       {"since", "TIME", "only since then: a DURATION ago, or a time in UTC"},
       {"limit", "N", "at most the last N"},
       {"follow", "", "print new events as they happen"},
       {"for", "DURATION", "with --follow: stop after this time (wall time)"},
       {"json", "", "a JSON array on stdout; with --follow one object per line"},
       {"csv", "", "CSV on stdout, with a line of names"},
       colour_option()},
      {},
      "  drover events --since 10m\n"
      "  drover events --since 10m --follow\n"
      "  drover events --filter 'severity==critical'\n"
      "  drover events --follow --json | jq -r .text"};
}

CommandOutcome run_events(Arguments& arguments) {
  EventRequest request;
  request.filter.use(read_filter(arguments, filter::anything));
  request.since = arguments.parsed("since", parse_since, Since{});
  request.limit = read_limit(arguments);
  request.format = read_table_format(arguments);
  request.style = read_table_style(arguments);
  const bool follow = arguments.has("follow");
  const WallSpan duration = arguments.duration("for", WallSpan::max());
  if (!follow && arguments.has("for")) {
    arguments.add_problem(error("--for works only with --follow"));
  }
  DROVER_TRY(arguments.status());
  if (!follow) return list_events(endpoint_of(arguments), request);
  request.style.columns_max = 0;  // its columns have fixed widths, so that the parts fit together
  return follow_events(endpoint_of(arguments), request, duration);
}

}  // namespace drover::commands
