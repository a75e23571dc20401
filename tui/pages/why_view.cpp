// Why a job waits or runs where it does, or why no job is on a device: a tree that scrolls, with
// what would help on top. It stands in the place of the jobs view, or of the device view.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/explanation/why_tree.h"
#include "tui/explain/idle_device.h"
#include "tui/explain/why_answers.h"
#include "tui/pages/pages.h"
#include "tui/pages/tree_lines.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// What the page shows: lines, where they come from, and what is missing.
struct Explanation {
  std::vector<TreeLine> lines;
  std::string state;    // of the job, if it is known
  std::string source;   // beside the title
  std::string missing;  // empty: nothing
};

/// The router's answer; null if it has not come.
const WhyAnswers::Answer* answer_of(const LayoutInput& at, const std::string& job) {
  const WhyAnswers::Answer* const answer = at.answers == nullptr ? nullptr : at.answers->find(job);
  return answer == nullptr || answer->at == Instant::min() ? nullptr : answer;
}

/// Why what is shown is not the router's answer, or not all of it.
std::string source_without_answer(const LayoutInput& at, bool postponed) {
  if (at.answers == nullptr) return "from the decisions kept of this moment";
  if (!at.answers->connected()) return "no connection: from what the router sent before";
  return postponed ? "asking the router again" : "asking the router";
}

bool is_postponed(const LayoutInput& at, const std::string& job) {
  const WhyAnswers::Answer* const answer = at.answers == nullptr ? nullptr : at.answers->find(job);
  return answer != nullptr && answer->postponed;
}

Explanation explain_job(const LayoutInput& at, const std::string& job) {
  const WhyAnswers::Answer* const answer = answer_of(at, job);
  const WhyReply reply = answer == nullptr ? known_why(at.model, job) : answer->reply;
  Explanation page;
  if (reply.job) page.state = to_text(reply.job->state);
  const bool waits = reply.job && reply.job->state == JobState::queued;
  if (answer != nullptr) {
    page.source = "from the router at " + to_clock_text(answer->at);
  } else {
    page.source = source_without_answer(at, is_postponed(at, job));
    page.missing = fmt::format(
        "Not known here: candidates beyond the best three of each decision{}, and decisions before "
        "the last {} of the fleet.",
        waits ? ", what would place the job" : "", decisions_max);
  }
  if (!reply.problem.empty()) {
    page.lines.push_back({0, printable(reply.problem), TreeRole::critical});
  }
  if (waits && answer != nullptr && reply.nearest.empty()) {
    page.lines.push_back({0, "no single change tried would place it", TreeRole::suggestion});
  }
  const std::vector<TreeLine> tree = why_tree(reply, candidates_of(reply));
  page.lines.insert(page.lines.end(), tree.begin(), tree.end());
  if (reply.job && reply.decisions.empty()) {
    page.lines.push_back({0, "no decision on it is known", TreeRole::detail});
  }
  return page;
}

/// What is known of the waiting jobs, and where from.
struct WaitingReplies {
  std::vector<WhyReply> replies;
  bool all_answered = true;                                  // by the router
  bool any_postponed = false;                                // of those that it has not answered
  Instant oldest = Instant::max(), newest = Instant::min();  // answers
};

WaitingReplies replies_on_waiting(const LayoutInput& at) {
  WaitingReplies waiting;
  for (const JobId& job : waiting_jobs_to_ask(at.model)) {
    const std::string id = to_text(job);
    const WhyAnswers::Answer* const answer = answer_of(at, id);
    const bool answered = answer != nullptr && answer->reply.job;
    WhyReply reply = answered ? answer->reply : known_why(at.model, id);
    if (!reply.job || reply.job->state != JobState::queued) continue;
    waiting.replies.push_back(std::move(reply));
    if (answered) {
      waiting.oldest = std::min(waiting.oldest, answer->at);
      waiting.newest = std::max(waiting.newest, answer->at);
    } else {
      waiting.all_answered = false;
      waiting.any_postponed = waiting.any_postponed || is_postponed(at, id);
    }
  }
  return waiting;
}

Explanation explain_device(const LayoutInput& at, DeviceTable::Row row) {
  const WaitingReplies waiting = replies_on_waiting(at);
  Explanation page;
  page.lines = idle_lines(at.model, row, waiting.replies);
  if (page.lines.empty()) {
    page.lines.push_back({0, "a job is on it now", TreeRole::heading});
    return page;
  }
  if (waiting.replies.empty()) return page;
  if (waiting.all_answered) {
    const std::string first = to_clock_text(waiting.oldest), last = to_clock_text(waiting.newest);
    page.source = "from the router at " + (first == last ? first : first + " to " + last);
    return page;
  }
  page.source = source_without_answer(at, waiting.any_postponed);
  page.missing =
      "Not known here: the candidates of each job, so the rejections of its last "
      "decision stand for this device.";
  return page;
}

class WhyView : public View {
 public:
  using View::View;

  void draw(const FrameContext&, const DrawRegion& region) const override {
    DrawRegion page = region;
    const std::string scroll = scroll_note(rows_of_tree(), seen_, ui_.details_top);
    std::string note = source_;
    add_part(note, ", ", scroll);
    page.heading(0, title_, note);
    int row = 1;
    for (const std::string& line : missing_) {
      page.field(0, row++, page.columns(), line, CellStyle::faint);
    }
    for (int i = 0; i < seen_; ++i) {
      const int at = ui_.details_top + i;
      if (at >= rows_of_tree()) break;
      draw_tree_row(page, row++, tree_[static_cast<std::size_t>(at)]);
    }
  }

  std::vector<CompactLine> compact_lines(const FrameContext&, int lines_max) const override {
    std::vector<CompactLine> lines = {{title_, CellStyle::header}};
    for (int i = ui_.details_top; i < rows_of_tree() && std::ssize(lines) < lines_max; ++i) {
      const TreeRow& row = tree_[static_cast<std::size_t>(i)];
      lines.push_back({std::string(row.branches.size(), ' ') + row.text, row.style});
    }
    return lines;
  }

  void forget_layout() override { drawn_for_ = {}; }

  ScrolledRows lay_out(const LayoutInput& at) override {
    refresh(at);
    seen_ = std::max(0, at.body.rows - 1 - static_cast<int>(missing_.size()));
    return {rows_of_tree(), seen_};
  }

  /// Goes to the job's device.
  std::optional<ViewId> open_selected(const KeyContext& context) override {
    const auto id =
        ui_.view == ViewId::jobs ? find_job(context.model, ui_.explained.job, 1) : std::nullopt;
    const std::string target = id ? context.model.jobs().at(*id).reported.target : std::string();
    const auto device = target.empty() ? std::nullopt : find_device(context.model, target);
    if (!device) {
      context.cursor.say("the job has no device");
      return std::nullopt;
    }
    ui_.device = device;
    return ViewId::device;
  }

  void tag(const KeyContext& context) override {
    context.cursor.say("Esc goes back to the list, where T tags");
  }

 private:
  int rows_of_tree() const { return static_cast<int>(tree_.size()); }

  /// What the lines follow from.
  struct Key {
    std::string subject, state, source;
    int columns = 0;
    std::uint64_t revision = 0;
    bool operator==(const Key&) const = default;
  };

  Key key_of(const LayoutInput& at) const {
    Key key;
    key.columns = at.body.columns;
    key.revision = at.answers == nullptr ? 0 : at.answers->revision() + 1;
    if (ui_.view == ViewId::jobs) {
      const WhySubject subject = why_subject(at.model, ui_.explained.job);
      key.subject = subject.job;
      key.state = subject.state;
    } else {
      key.subject = ui_.device ? to_text(*ui_.device) : std::string();
      key.state = fmt::format("{} {}", at.model.structure(),
                              at.model.summary() ? at.model.summary()->queued : 0);
      // Which job is on it, and which jobs wait, changes with any report: as often as seconds pass.
      key.source = fmt::format("{}", bin_number(at.now, at.resort_every));
    }
    return key;
  }

  void refresh(const LayoutInput& at) {
    Key key = key_of(at);
    if (key == drawn_for_ && !tree_.empty()) return;
    const bool of_job = ui_.view == ViewId::jobs;
    const auto row = !of_job && ui_.device ? at.model.find(*ui_.device) : std::nullopt;
    Explanation page;
    if (of_job) {
      page = explain_job(at, key.subject);
      title_ = "Why job " + printable(key.subject.substr(0, job_digits));
      add_part(title_, ": ", page.state);
    } else if (row) {
      title_ = fmt::format("Why {} is idle", printable(key.subject));
      page = explain_device(at, *row);
    } else {
      title_ = "Why a device is idle";
      page.lines = {{0, "the device is not in the fleet", TreeRole::critical}};
    }
    missing_.clear();
    if (!page.missing.empty()) missing_ = wrapped(page.missing, at.body.columns);
    place_source(std::move(page.source), at.body.columns);
    tree_ = tree_rows(page.lines, at.body.columns);
    drawn_for_ = std::move(key);
  }

  /// Beside the title if the note on scrolling has room there too, else below it.
  void place_source(std::string source, int columns) {
    constexpr int scroll_note_columns = 28;
    source_.clear();
    if (columns_of(title_) + columns_of(source) + scroll_note_columns < columns) {
      source_ = std::move(source);
    } else if (!source.empty()) {
      missing_.insert(missing_.begin(), std::move(source));
    }
  }

  static constexpr std::size_t job_digits = 8;

  std::string title_, source_;
  std::vector<std::string> missing_;  // below the title
  std::vector<TreeRow> tree_;
  Key drawn_for_;
  int seen_ = 0;
};

}  // namespace

std::unique_ptr<View> make_why_view(UiState& ui) { return std::make_unique<WhyView>(ui); }

}  // namespace drover::tui
