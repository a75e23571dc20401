// Theil-Sen: the slope is the median of the slopes between all pairs of points, and the level the
// median of what the points say about the last moment. Up to 29 % of the points may be wrong. The
// trend is clear where most pairs rise (Kendall's tau) and the line rises more than points scatter
// around it.
#include "tui/model/power_forecast.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace drover::tui {
namespace {

constexpr std::size_t points_least = 12;
constexpr std::size_t points_most = 60;  // more are averaged: the pairs grow with their square
constexpr double rising_share = 0.75;    // of all pairs: a tau of one half
constexpr double horizon = 2;            // times the span of the points

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Place {
  double s, w;  // seconds before the last point are negative
};

/// The known points, neighbours averaged if there are many.
std::vector<Place> places_of(std::span<const PowerPoint> points) {
  std::vector<Place> known;
  for (const PowerPoint& point : points) {
    if (std::isnan(point.power_w)) continue;
    known.push_back({to_seconds(point.at - points.back().at), point.power_w});
  }
  const std::size_t group = (known.size() + points_most - 1) / points_most;
  if (group <= 1) return known;
  std::vector<Place> places;
  for (std::size_t first = known.size() % group; first < known.size(); first += group) {
    Place mean{0, 0};
    for (std::size_t i = first; i < first + group; ++i) {
      mean.s += known[i].s / static_cast<double>(group);
      mean.w += known[i].w / static_cast<double>(group);
    }
    places.push_back(mean);
  }
  return places;
}

}  // namespace

std::optional<Duration> time_until_cap(std::span<const PowerPoint> points, double cap_w) {
  if (!(cap_w > 0) || points.empty()) return std::nullopt;
  const std::vector<Place> places = places_of(points);
  if (places.size() < points_least) return std::nullopt;
  std::vector<double> slopes;
  std::size_t rising = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      if (places[j].s <= places[i].s) continue;
      slopes.push_back((places[j].w - places[i].w) / (places[j].s - places[i].s));
      if (slopes.back() > 0) ++rising;
    }
  }
  if (slopes.empty() ||
      static_cast<double>(rising) < rising_share * static_cast<double>(slopes.size()))
    return std::nullopt;
  const double slope = median(slopes);
  std::vector<double> levels, scatter;
  for (const Place& place : places) levels.push_back(place.w - slope * place.s);
  const double level = median(levels);
  for (const double value : levels) scatter.push_back(std::abs(value - level));
  const double span_s = places.back().s - places.front().s;
  if (!(slope > 0) || slope * span_s <= 2 * median(scatter)) return std::nullopt;
  const double until_s = (cap_w - level) / slope;
  if (until_s <= 0 || until_s > horizon * span_s) return std::nullopt;
  return from_seconds(until_s);
}

}  // namespace drover::tui
