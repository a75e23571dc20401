// Seeded random numbers in named streams.
//
// One seed makes one `RandomStream`; each purpose uses a child stream by name or number. A child
// depends only on its parent's seed and its own name, not on how much the parent was used: adding
// a device does not shift the numbers of others. The distributions are implemented here because
// those of the standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace drover {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  RandomStream child(std::string_view name) const;
  RandomStream child(std::uint64_t number) const;

  std::uint64_t bits();
  /// In [0, 1), 53 bits.
  double uniform();
  double uniform(double low, double high);
  /// In [0, count). REQUIRES count > 0.
  std::uint64_t below(std::uint64_t count);
  bool chance(double probability);
  double normal(double mean = 0, double deviation = 1);
  double exponential(double mean);
  /// exp(normal(log(median), sigma)).
  double log_normal(double median, double sigma);

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;  // xoshiro256**, filled by splitmix64 (Blackman, Vigna 2018)
};

}  // namespace drover
