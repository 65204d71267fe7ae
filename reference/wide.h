#pragma once
#include <cmath>

namespace assay {

__extension__ typedef __int128 Int128;

/// A sum in twice the precision of double: each addition's and product's rounding error is kept apart and added at the
/// end (Ogita, Rump and Oishi, "Accurate sum and dot product", 2005). NaN and infinities come out as a plain sum has
/// them.
class TwiceSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    const double part = next - sum_;
    rest_ += (sum_ - (next - part)) + (x - part);
    sum_ = next;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    rest_ += std::fma(a, b, -product);
  }
  /// Not yet rounded to double.
  long double wide() const { return std::isfinite(sum_) ? static_cast<long double>(sum_) + rest_ : sum_; }
  double value() const { return std::isfinite(sum_) ? sum_ + rest_ : sum_; }

 private:
  double sum_ = 0.0, rest_ = 0.0;
};

}  // namespace assay
