#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace assay {

/// 256 secret bits, drawn by the judge after the subject is loaded. Everything random in an audit follows from it.
struct Seed {
  std::array<std::uint8_t, 32> bytes{};
};

/// 64 lower-case hex digits; and back (false: not 64 hex digits).
std::string to_hex(const Seed& seed);
bool from_hex(const std::string& text, Seed& seed);

/// Plans, places and orders are drawn from this (SplitMix64, Steele et al. 2014). Not for tensor contents: see
/// numerics/.
class Random {
 public:
  using result_type = std::uint64_t;
  explicit Random(std::uint64_t state) : state_(state) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  std::uint64_t below(std::uint64_t bound);  ///< uniform in [0, bound); bound > 0
  double unit();                             ///< uniform in [0, 1)
  bool chance(double p) { return unit() < p; }

 private:
  std::uint64_t state_;
};

}  // namespace assay
