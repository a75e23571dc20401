// Seeded random numbers in named streams.
//
// One seed makes one `Dice`; each purpose takes a child stream by name or number. A child depends
// only on its parent's seed and its own name, never on how much the parent was used: adding a
// device shifts no other's numbers. Distributions are our own, because those of the standard
// library may differ from one library to the next.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace drover {

class Dice {
 public:
  explicit Dice(std::uint64_t seed);

  Dice child(std::string_view name) const;
  Dice child(std::uint64_t number) const;

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

  std::uint64_t seed() const { return seed_; }

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;  // xoshiro256**, filled by splitmix64 (Blackman, Vigna 2018)
};

}  // namespace drover
