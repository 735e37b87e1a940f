#include "benches/workloads/random.hpp"

#include <cmath>

namespace timers::benches {

namespace {

constexpr double kLn2 = 0.693147180559945309417232;

/// Uses the series of artanh((m - 1) / (m + 1)), where x = m * 2^e and m is near 1.
double natural_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  const double ratio = (mantissa - 1) / (mantissa + 1);
  const double square = ratio * ratio;
  double sum = 0;
  for (int term = 21; term >= 1; term -= 2) sum = sum * square + 1.0 / term;
  return 2 * ratio * sum + exponent * kLn2;
}

/// Uses Taylor's series for the part that is below half of ln 2.
double power_of_e(double x) {
  const double exponent = std::floor(x / kLn2 + 0.5);
  const double rest = x - exponent * kLn2;
  double sum = 1;
  for (int term = 14; term >= 1; --term) sum = 1 + sum * rest / term;
  return std::ldexp(sum, static_cast<int>(exponent));
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

double Random::uniform() {
  return (static_cast<double>(next() >> 12) + 0.5) / 4503599627370496.0;  // 2^52
}

double Random::exponential(double mean) { return -mean * natural_log(uniform()); }

double Random::normal() {
  // Marsaglia's polar method; the second normal of the pair is not used.
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square < 1 && square > 0) return x * std::sqrt(-2 * natural_log(square) / square);
  }
}

double Random::log_normal(double median, double sigma) {
  return median * power_of_e(sigma * normal());
}

double Random::log_uniform(double least, double most) {
  return least * power_of_e(uniform() * natural_log(most / least));
}

}  // namespace timers::benches
