#include "core/seed.h"

namespace assay {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string to_hex(const Seed& seed) {
  std::string text;
  for (const std::uint8_t b : seed.bytes) {
    text += kDigits[b >> 4];
    text += kDigits[b & 15];
  }
  return text;
}

bool from_hex(const std::string& text, Seed& seed) {
  if (text.size() != 2 * seed.bytes.size()) return false;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    seed.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

Random::result_type Random::operator()() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Rejection keeps it uniform: values above the largest multiple of the bound are drawn again.
  const std::uint64_t limit = max() - max() % bound;
  std::uint64_t value = (*this)();
  while (value >= limit) value = (*this)();
  return value % bound;
}

double Random::unit() {
  return static_cast<double>((*this)() >> 11) * 0x1p-53;
}

}  // namespace assay
