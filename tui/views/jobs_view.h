// Jobs: which wait and why, which run and until when, which failed and why.
#pragma once

#include <span>

#include "tui/panels/panels.h"
#include "tui/state/view.h"
#include "tui/tables/job_list.h"

namespace drover::tui {

/// The page above the list: reasons for waiting and failure, and the targets of job classes.
struct JobsPage {
  Rect waiting, failed, classes;  // `classes` may be empty
  int rows = 0;
};
JobsPage lay_out_jobs_page(const Model& model, int columns);
/// `region`: of the whole page.
void draw_jobs_page(const FrameContext& frame, const JobsPage& page, const DrawRegion& region);

/// `details`: rows of the open details; 0 when they are closed.
TableLayout lay_out_jobs(const Rect& area, const JobsPage& page, int details);

class JobsView : public View {
 public:
  using View::View;

  JobList list;

  void step_filter();
  /// Selects the job and opens its details.
  void choose_and_open(const JobId& job) {
    list.chosen = job;
    list.open = true;
  }

  void forget_layout() override { list.lines.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  int selected(const Model&) const override { return index_of_chosen(list); }
  bool back() override { return leave_list(ui_, list); }
  void tag(const KeyContext& context) override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  std::optional<int> count() const override { return static_cast<int>(list.lines.size()); }
  void select(const Model&, int index, int direction) override;
  ListViewport* viewport() override { return &list.place; }
  std::string search_text(const Model& model, int index) const override;
  std::optional<ViewId> open_selected(const KeyContext& context) override;

 private:
  void draw_list(const FrameContext& frame, DrawRegion region) const;

  JobsPage page_;
  TableLayout layout_;
};

/// Running jobs: training and batch jobs before requests.
void draw_running(const FrameContext& frame, DrawRegion region);
/// The given jobs, with or without the place where each runs.
void draw_running_jobs(const FrameContext& frame, DrawRegion region, std::string_view title,
                       std::span<const JobRow* const> jobs, bool with_place);

}  // namespace drover::tui
