// The table of NUMERICS.md ("What misses a downgrade"), measured by assay's own legs: downgrades_bench [longest sum].
// Exits with 1 where a downgrade is missed or an honest kernel accused.
#include <cstdio>
#include <cstdlib>

#include "downgrades.h"

int main(int argc, char** argv) {
  using namespace assay::downgrades;
  const std::size_t longest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 65536;
  int wrong = 0;
  std::printf(
      "legs that convict: B exact, C bound, E traces, F distribution; D calibrated is a note; %zu outputs each\n\n",
      kOutputs);
  std::printf("%-18s %-10s %6s %10s %9s %8s  %-5s %s\n", "kernel", "data", "n", "max rho", "rms rho", "limit C", "legs",
              "");
  for (std::size_t n = 64; n <= longest; n *= 4) {
    for (const auto& [data, name] : kData) {
      const std::vector<Convictions> all = Bench(n, data).examine();
      for (std::size_t k = 0; k < all.size(); ++k) {
        const Convictions& c = all[k];
        const bool right = c.any() != kRowsOfTable[k].honest;
        wrong += right ? 0 : 1;
        const std::string legs = std::string(c.exact ? "B" : "-") + (c.bound ? "C" : "-") + (c.calibrated ? "d" : "-") +
                                 (c.traces ? "E" : "-") + (c.distribution ? "F" : "-");
        std::printf("%-18s %-10s %6zu %10.3g %9.3g %8.3g  %-5s %s\n", kRowsOfTable[k].name, name, n, c.max_rho,
                    c.rms_rho, c.limit, legs.c_str(),
                    right                    ? ""
                    : kRowsOfTable[k].honest ? "FALSE ALARM"
                                             : "MISS");
      }
    }
  }
  std::printf("\n%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
