#include "timing/mix.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "timing/distribution.h"
#include "timing/signed_rank.h"

namespace assay::timing {
namespace {

struct Sums {
  double baseline = 0.0, candidate = 0.0;
};

std::size_t checked_processes(std::span<const MixShape> shapes) {
  for (const MixShape& shape : shapes) {
    if (!(shape.weight > 0.0)) throw Error("timing: a production shape has a weight that is not positive");
    if (shape.processes.size() != shapes.front().processes.size()) {
      throw Error("timing: one shape of the mix has " + std::to_string(shape.processes.size()) +
                  " process pairs, another " + std::to_string(shapes.front().processes.size()) +
                  "; time every shape in every pair");
    }
  }
  return shapes.empty() ? 0 : shapes.front().processes.size();
}

double level_of(const ProcessTimes& process) {
  std::vector<double> centres;
  for (std::size_t i = 0; i < process.baseline_s.size(); ++i) {
    centres.push_back(std::sqrt(process.baseline_s[i] * process.candidate_s[i]));
  }
  return median(centres);
}

Sums sums_of(std::span<const MixShape> shapes, std::size_t process) {
  Sums sums;
  double weight = 0.0;
  for (const MixShape& shape : shapes) {
    const ProcessTimes& times = shape.processes[process];
    const double half = std::exp(0.5 * median(log_ratios(times)));
    const double level = level_of(times);
    sums.baseline += shape.weight * level * half;
    sums.candidate += shape.weight * level / half;
    weight += shape.weight;
  }
  return {sums.baseline / weight, sums.candidate / weight};
}

std::vector<Sums> all_sums(std::span<const MixShape> shapes) {
  std::vector<Sums> all;
  const std::size_t processes = checked_processes(shapes);
  for (std::size_t i = 0; i < processes; ++i) all.push_back(sums_of(shapes, i));
  return all;
}

std::vector<double> ratios_of(const std::vector<Sums>& sums) {
  std::vector<double> ratios;
  for (const Sums& s : sums) ratios.push_back(std::log(s.baseline / s.candidate));
  return ratios;
}

double median_side(const std::vector<Sums>& sums, double Sums::*side) {
  std::vector<double> values;
  for (const Sums& s : sums) values.push_back(s.*side);
  return values.empty() ? 0.0 : median(values);
}

}  // namespace

std::vector<double> mix_log_ratios(std::span<const MixShape> shapes) {
  return ratios_of(all_sums(shapes));
}

Mix compare_mix(std::span<const MixShape> shapes, const Rules& rules) {
  const std::vector<Sums> sums = all_sums(shapes);
  const std::vector<double> ratios = ratios_of(sums);
  Mix mix;
  mix.speedup = exp_of(signed_rank_interval(ratios, rules.alpha));
  mix.detectable = minimum_detectable(ratios);
  mix.effect = decide(mix.speedup, rules.delta, mix.detectable);
  mix.baseline_s = median_side(sums, &Sums::baseline);
  mix.candidate_s = median_side(sums, &Sums::candidate);
  return mix;
}

}  // namespace assay::timing
