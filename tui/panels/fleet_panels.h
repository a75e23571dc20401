// The panels of the fleet view, each on its own rectangle.
#pragma once

#include "tui/state/scene.h"

namespace drover::tui {

/// Hosts, devices, load, power and memory of the whole fleet.
void draw_totals(const Scene& scene, Pen pen, const Totals& totals);
/// How many jobs are in which state, and how that moved.
void draw_job_counts(const Scene& scene, Pen pen);
/// Latencies, tokens, energy and cost.
void draw_service(const Scene& scene, Pen pen, const Totals& totals);

/// The heat map that Choices::map lays out: its heading with the scale, and its cells.
void draw_map(const Scene& scene, Pen heading, Pen cells);

/// What is loaded where: a line per pool, model and precision.
void draw_replicas(const Scene& scene, Pen pen);
/// Load, power and queue over the last minutes, with an axis of time.
void draw_curves(const Scene& scene, Pen pen, const Totals& totals);
/// The newest decisions, a line each.
void draw_latest_decisions(const Scene& scene, Pen pen);
/// The jobs that run, longest work first.
void draw_running(const Scene& scene, Pen pen);
/// These of them, with or without where each runs.
void draw_running_jobs(const Scene& scene, Pen pen, std::string_view title,
                       std::span<const JobRow* const> jobs, bool with_place);

}  // namespace drover::tui
