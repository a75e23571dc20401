// The generator is xoshiro256** 1.0 by Blackman and Vigna (2018), its state filled by splitmix64;
// both are in the public domain (prng.di.unimi.it). Names are hashed by 64-bit FNV-1a. The
// operations on doubles are IEEE ones and std::log, std::exp, std::sqrt. A normal number uses one
// uniform number, so a stream's position does not depend on the values that it returned.
#include "fleet/base/random_stream.h"

#include <bit>
#include <cmath>

#include "fleet/base/fnv1a.h"
#include "fleet/base/result.h"

namespace drover {
namespace {

// One step of splitmix64 by Vigna, which is also a good mixing function for 64 bits.
std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

// Names and numbers have different domains, so child("1") and child(1) are independent.
constexpr std::uint64_t name_domain = 0x6e616d6500000001;
constexpr std::uint64_t number_domain = 0x6e756d6200000002;

std::uint64_t child_seed(std::uint64_t parent, std::uint64_t domain, std::uint64_t key) {
  std::uint64_t state = parent ^ domain;
  const std::uint64_t salted = splitmix64(state);
  state = salted ^ key;
  // Twice, so that a child's seed differs from the values in the parent's state.
  splitmix64(state);
  return splitmix64(state);
}

double polynomial(const std::array<double, 8>& coefficients, double x) {
  double sum = 0;
  for (auto term = coefficients.rbegin(); term != coefficients.rend(); ++term)
    sum = sum * x + *term;
  return sum;
}

// The inverse of the normal distribution: algorithm AS 241 (PPND16) by M. J. Wichura, Applied
// Statistics 37 (1988) 477-484; relative accuracy about 1e-16.
double normal_quantile(double probability) {
  const double q = probability - 0.5;
  if (std::fabs(q) <= 0.425) {
    static constexpr std::array<double, 8> a{3.3871328727963666080e0, 1.3314166789178437745e2,
                                             1.9715909503065514427e3, 1.3731693765509461125e4,
                                             4.5921953931549871457e4, 6.7265770927008700853e4,
                                             3.3430575583588128105e4, 2.5090809287301226727e3};
    static constexpr std::array<double, 8> b{1.0,
                                             4.2313330701600911252e1,
                                             6.8718700749205790830e2,
                                             5.3941960214247511077e3,
                                             2.1213794301586595867e4,
                                             3.9307895800092710610e4,
                                             2.8729085735721942674e4,
                                             5.2264952788528545610e3};
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double tail = q < 0 ? probability : 1 - probability;
  const double r = std::sqrt(-std::log(tail));
  double value = 0;
  if (r <= 5) {
    static constexpr std::array<double, 8> c{1.42343711074968357734e0,  4.63033784615654529590e0,
                                             5.76949722146069140550e0,  3.64784832476320460504e0,
                                             1.27045825245236838258e0,  2.41780725177450611770e-1,
                                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static constexpr std::array<double, 8> d{1.0,
                                             2.05319162663775882187e0,
                                             1.67638483018380384940e0,
                                             6.89767334985100004550e-1,
                                             1.48103976427480074590e-1,
                                             1.51986665636164571966e-2,
                                             5.47593808499534494600e-4,
                                             1.05075007164441684324e-9};
    value = polynomial(c, r - 1.6) / polynomial(d, r - 1.6);
  } else {
    static constexpr std::array<double, 8> e{6.65790464350110377720e0,  5.46378491116411436990e0,
                                             1.78482653991729133580e0,  2.96560571828504891230e-1,
                                             2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static constexpr std::array<double, 8> f{1.0,
                                             5.99832206555887937690e-1,
                                             1.36929880922735805310e-1,
                                             1.48753612908506148525e-2,
                                             7.86869131145613259100e-4,
                                             1.84631831751005468180e-5,
                                             1.42151175831644588870e-7,
                                             2.04426310338993978564e-15};
    value = polynomial(e, r - 5) / polynomial(f, r - 5);
  }
  return q < 0 ? -value : value;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed) : seed_(seed), state_{} {
  std::uint64_t filler = seed;
  for (std::uint64_t& word : state_) word = splitmix64(filler);
}

RandomStream RandomStream::child(std::string_view name) const {
  return RandomStream{child_seed(seed_, name_domain, fnv1a(name))};
}

RandomStream RandomStream::child(std::uint64_t number) const {
  return RandomStream{child_seed(seed_, number_domain, number)};
}

std::uint64_t RandomStream::bits() {
  const std::uint64_t answer = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return answer;
}

double RandomStream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t RandomStream::below(std::uint64_t count) {
  DROVER_REQUIRE(count > 0);
  // Values below 2^64 mod count would make small results more likely, so they are drawn again.
  const std::uint64_t unfair = (0 - count) % count;
  std::uint64_t drawn = bits();
  while (drawn < unfair) drawn = bits();
  return drawn % count;
}

bool RandomStream::chance(double probability) { return uniform() < probability; }

double RandomStream::normal(double mean, double deviation) {
  // The middle of one of 2^52 equal steps: never 0 or 1, whose quantiles are infinite.
  const double probability = (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
  return mean + deviation * normal_quantile(probability);
}

double RandomStream::exponential(double mean) { return -mean * std::log1p(-uniform()); }

double RandomStream::log_normal(double median, double sigma) {
  return median * std::exp(normal(0, sigma));
}

}  // namespace drover
