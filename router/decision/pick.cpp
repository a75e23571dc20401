#include "router/decision/pick.h"

namespace drover::router {
namespace {

std::size_t pick_weighted(const std::vector<double>& scores, RandomStream& random) {
  double sum = 0;
  for (const double score : scores) sum += score;
  double left = random.uniform() * sum;
  for (std::size_t index = 0; index + 1 < scores.size(); ++index) {
    left -= scores[index];
    if (left < 0) return index;
  }
  return scores.size() - 1;
}

std::size_t pick_of_two(const std::vector<double>& scores, RandomStream& random) {
  const std::size_t first = random.below(scores.size());
  std::size_t second = random.below(scores.size() - 1);
  if (second >= first) ++second;
  if (scores[first] == scores[second]) return random.below(2) == 0 ? first : second;
  return scores[first] > scores[second] ? first : second;
}

std::size_t pick_best(const std::vector<double>& scores, RandomStream& random) {
  std::size_t best = 0;
  std::uint64_t equals = 1;
  for (std::size_t index = 1; index < scores.size(); ++index) {
    if (scores[index] < scores[best]) continue;
    if (scores[index] > scores[best]) {
      best = index;
      equals = 1;
    } else if (random.below(++equals) == 0) {
      best = index;
    }
  }
  return best;
}

}  // namespace

std::size_t pick(Pick how, const std::vector<double>& scores, RandomStream& random) {
  if (how == Pick::weighted) return pick_weighted(scores, random);
  if (how == Pick::p2c && scores.size() > 2) return pick_of_two(scores, random);
  return pick_best(scores, random);
}

}  // namespace drover::router
