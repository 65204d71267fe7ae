#include "roi/plot.h"

#include <algorithm>
#include <cmath>

#include "roi/valid.h"

namespace assay::roi {
namespace {

constexpr std::size_t kLabel = 10;  // columns of the axis to the left

/// Maps speed-ups (logarithmic) and end-to-end speed-ups (linear) to cells.
struct Canvas {
  std::size_t width, height;
  double most, low, high;
  std::vector<std::string> cells;

  std::size_t column(double speedup) const {
    const double x = std::isfinite(speedup) ? std::log(speedup) / std::log(most) : 1.0;
    return static_cast<std::size_t>(std::lround(std::clamp(x, 0.0, 1.0) * static_cast<double>(width - 1)));
  }
  std::size_t row(double end_to_end) const {
    const double y = (high - end_to_end) / (high - low);
    return static_cast<std::size_t>(std::lround(std::clamp(y, 0.0, 1.0) * static_cast<double>(height - 1)));
  }
  void put(double speedup, double end_to_end, char mark) { cells[row(end_to_end)][column(speedup)] = mark; }
};

double curve_at(double share, double speedup) {
  return std::isfinite(speedup) ? 1.0 / (1.0 - share + share / speedup) : 1.0 / (1.0 - share);
}

/// A ceiling out of sight would flatten the curve: then the axis ends with the curve.
Canvas canvas_for(const RoiResult& result, std::size_t width, std::size_t height) {
  const double share = result.hot_fraction.value;
  const double most = result.curve.back().speedup, own = result.end_to_end_speedup.value;
  const double last = curve_at(share, most);
  double high = std::max(result.ceiling_speedup.value, std::isfinite(own) ? own : last);
  if (!std::isfinite(high) || high > 2.0 * std::max(last, own)) high = std::max(last, std::isfinite(own) ? own : last);
  const double low = std::min(1.0, own);
  if (!(high > low)) high = low + 0.01;
  return {width, height, most, low, high, std::vector<std::string>(height, std::string(width, ' '))};
}

void draw(Canvas& canvas, const RoiResult& result) {
  const double share = result.hot_fraction.value, ceiling = result.ceiling_speedup.value;
  if (ceiling <= canvas.high) canvas.cells[canvas.row(ceiling)].assign(canvas.width, '-');
  for (std::size_t i = 0; i < canvas.width; ++i) {
    const double s = std::pow(canvas.most, static_cast<double>(i) / static_cast<double>(canvas.width - 1));
    canvas.put(s, curve_at(share, s), '*');
  }
  canvas.put(result.speedup.value, result.end_to_end_speedup.value, 'O');
}

std::string axis_label(const Canvas& canvas, std::size_t row) {
  const double step = (canvas.high - canvas.low) / static_cast<double>(canvas.height - 1);
  const bool marked = row % 3 == 0 || row + 1 == canvas.height;
  const std::string text = marked ? fixed_text(canvas.high - step * static_cast<double>(row), 3) + "x" : "";
  return std::string(kLabel - 2 - std::min(text.size(), kLabel - 2), ' ') + text + " |";
}

std::string speedup_text(double speedup) {
  return std::isfinite(speedup) ? number_text(rounded(speedup, 2)) + "x" : "without limit";
}

std::string below(const Canvas& canvas) {
  const std::string left = "1x", right = number_text(rounded(canvas.most, 0)) + "x", middle = "kernel speed-up";
  std::string line(canvas.width, ' ');
  line.replace(0, left.size(), left);
  line.replace((canvas.width - middle.size()) / 2, middle.size(), middle);
  line.replace(canvas.width - right.size(), right.size(), right);
  return std::string(kLabel, ' ') + line;
}

}  // namespace

std::vector<std::string> plot_lines(const RoiResult& result, std::size_t width, std::size_t height) {
  if (result.curve.empty()) return {};
  Canvas canvas = canvas_for(result, std::max<std::size_t>(width, 40) - kLabel, std::max<std::size_t>(height, 6));
  draw(canvas, result);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < canvas.height; ++i) {
    std::string line = axis_label(canvas, i) + canvas.cells[i];
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  lines.push_back(std::string(kLabel - 1, ' ') + "+" + std::string(canvas.width, '-'));
  lines.push_back(below(canvas));
  lines.push_back("O kernel " + speedup_text(result.speedup.value) + " -> end to end " +
                  speedup_text(result.end_to_end_speedup.value) + ", ceiling " +
                  speedup_text(result.ceiling_speedup.value));
  return lines;
}

}  // namespace assay::roi
