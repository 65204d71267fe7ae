#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/dtype.h"

/// Theory of operation. Every element type is described by a Codec: its bits, what they mean as a double, and which
/// bits a double becomes. All of it is constexpr integer arithmetic or IEEE conversion without a library call, so that
/// the same header serves host and device and both give the same bits. Rounding is to nearest, ties to even, in one
/// step from double (an f16 that went through f32 first would be rounded twice). A finite value too large for a format
/// becomes an infinity (e4m3fn has none: NaN), or the largest finite value where the caller asks to saturate.
namespace assay {

/// What a finite value beyond the largest finite one becomes. Infinities stay infinities where the format has them.
enum class Overflow : std::uint8_t { to_infinity, saturate };

/// A floating format of at most 16 bits: sign, exponent, mantissa. Without `infinity` only all ones is NaN ("fn").
struct SmallFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  bool infinity = true;
};

inline constexpr SmallFormat kF16Format{5, 10, true};
inline constexpr SmallFormat kBf16Format{8, 7, true};
inline constexpr SmallFormat kE4m3Format{4, 3, false};
inline constexpr SmallFormat kE5m2Format{5, 2, true};

/// 2^exponent for exponents of normal doubles, -1022 … 1023.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// What the bits of a small format mean; exact. Selections instead of branches, so that loops over it become vector
/// code.
template <SmallFormat F>
constexpr double decode_small(std::uint32_t bits) {
  constexpr int kMantissa = F.mantissa_bits;
  constexpr int kBias = (1 << (F.exponent_bits - 1)) - 1;
  constexpr std::uint32_t kTop = ((1u << F.exponent_bits) - 1) << kMantissa;
  constexpr std::uint32_t kNan = F.infinity ? kTop + 1 : kTop | ((1u << kMantissa) - 1);  // the first of the NaN
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::uint32_t magnitude = bits & ((1u << (kMantissa + F.exponent_bits)) - 1);
  const std::uint64_t moved = static_cast<std::uint64_t>(magnitude) << (52 - kMantissa);
  const double normal = std::bit_cast<double>(moved + (static_cast<std::uint64_t>(1023 - kBias) << 52));
  const double subnormal =
      static_cast<double>(static_cast<std::int32_t>(magnitude)) * power_of_two(1 - kBias - kMantissa);
  const double finite = magnitude < (1u << kMantissa) ? subnormal : normal;
  const double bounded = F.infinity && magnitude == kTop ? kInfinity : finite;
  const double value = magnitude >= kNan ? std::numeric_limits<double>::quiet_NaN() : bounded;
  return bits >> (kMantissa + F.exponent_bits) & 1 ? -value : value;
}

/// The bits of a small format for a double: nearest, ties to even, subnormals kept, one canonical quiet NaN per sign.
/// Adding and taking away 1.5 * 2^52 quanta rounds to whole quanta, in the default rounding mode.
template <SmallFormat F>
constexpr std::uint32_t encode_small(double value, Overflow overflow = Overflow::to_infinity) {
  constexpr int kMantissa = F.mantissa_bits;
  constexpr int kMinExponent = 2 - (1 << (F.exponent_bits - 1));
  constexpr std::uint32_t kTop = ((1u << F.exponent_bits) - 1) << kMantissa;
  constexpr std::uint32_t kNan = F.infinity ? kTop | (1u << (kMantissa - 1)) : kTop | ((1u << kMantissa) - 1);
  constexpr std::uint32_t kLargest = F.infinity ? kTop - 1 : kNan - 1;
  constexpr std::uint32_t kBeyond = F.infinity ? kTop : kNan;
  constexpr std::uint64_t kLow = static_cast<std::uint64_t>(1023 + kMinExponent) << 52;
  constexpr std::uint64_t kHigh = std::uint64_t{1023 + 200} << 52;  // beyond every small format
  constexpr std::uint64_t kExponent = std::uint64_t{0x7ff} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (kMantissa + F.exponent_bits);
  const std::uint64_t bounded = magnitude < kHigh ? magnitude : kHigh;
  const std::uint64_t exponent = (bounded > kLow ? bounded : kLow) & kExponent;
  const double quanta =
      std::bit_cast<double>(exponent + (std::uint64_t{52 - kMantissa} << 52) + (std::uint64_t{1} << 51));
  const double rounded = (std::bit_cast<double>(bounded) + quanta) - quanta;
  // Magnitudes of a format are consecutive integers, subnormals first: below the smallest normal, count from zero.
  const double smallest = std::bit_cast<double>(kLow);
  const bool subnormal = rounded < smallest;
  const double shifted = subnormal ? rounded + smallest : rounded;
  const std::uint64_t steps = (std::bit_cast<std::uint64_t>(shifted) >> (52 - kMantissa)) - (kLow >> (52 - kMantissa));
  const std::uint64_t whole = steps + (subnormal ? 0 : std::uint64_t{1} << kMantissa);
  const bool finite = magnitude < kExponent;
  const bool keep = overflow == Overflow::saturate && (finite || !F.infinity);
  std::uint32_t result = static_cast<std::uint32_t>(whole);
  result = whole > kLargest ? (keep ? kLargest : kBeyond) : result;
  result = magnitude > kExponent ? kNan : result;
  return sign | result;
}

/// Bits, meaning and encoding of one element type; see the specialisations below.
template <DType D>
struct Codec;

template <SmallFormat F, class BitsType, DType D>
struct SmallCodec {
  using Bits = BitsType;
  static constexpr DType kDType = D;
  static constexpr bool kFloating = true;
  static constexpr int kMantissaBits = F.mantissa_bits;
  static constexpr double decode(Bits bits) { return decode_small<F>(bits); }
  static constexpr Bits encode(double value, Overflow overflow = Overflow::to_infinity) {
    return static_cast<Bits>(encode_small<F>(value, overflow));
  }
};

template <>
struct Codec<DType::f16> : SmallCodec<kF16Format, std::uint16_t, DType::f16> {};
template <>
struct Codec<DType::bf16> : SmallCodec<kBf16Format, std::uint16_t, DType::bf16> {};
template <>
struct Codec<DType::e4m3> : SmallCodec<kE4m3Format, std::uint8_t, DType::e4m3> {};
template <>
struct Codec<DType::e5m2> : SmallCodec<kE5m2Format, std::uint8_t, DType::e5m2> {};

template <>
struct Codec<DType::f64> {
  using Bits = std::uint64_t;
  static constexpr DType kDType = DType::f64;
  static constexpr bool kFloating = true;
  static constexpr int kMantissaBits = 52;
  static constexpr double decode(Bits bits) { return std::bit_cast<double>(bits); }
  static constexpr Bits encode(double value, Overflow = Overflow::to_infinity) { return std::bit_cast<Bits>(value); }
};

template <>
struct Codec<DType::f32> {
  using Bits = std::uint32_t;
  static constexpr DType kDType = DType::f32;
  static constexpr bool kFloating = true;
  static constexpr int kMantissaBits = 23;
  static constexpr double decode(Bits bits) { return static_cast<double>(std::bit_cast<float>(bits)); }
  static constexpr Bits encode(double value, Overflow overflow = Overflow::to_infinity) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    constexpr double kTie = kLargest + 0x1p103;  // rounds to infinity, like all above
    const double magnitude = value < 0 ? -value : value;
    if (magnitude >= kTie) return beyond(value, overflow);
    if (magnitude > kLargest)
      return std::bit_cast<Bits>(value < 0 ? -std::numeric_limits<float>::max() : std::numeric_limits<float>::max());
    return std::bit_cast<Bits>(static_cast<float>(value));
  }

 private:
  static constexpr Bits beyond(double value, Overflow overflow) {
    const Bits sign = value < 0 ? 0x80000000u : 0u;
    const bool finite = value - value == 0;
    return sign | (finite && overflow == Overflow::saturate ? 0x7f7fffffu : 0x7f800000u);
  }
};

/// Integers take the nearest value (ties to even), clamped to their range; NaN becomes 0.
template <class Int, DType D>
struct IntegerCodec {
  using Bits = std::make_unsigned_t<Int>;
  static constexpr DType kDType = D;
  static constexpr bool kFloating = false;
  static constexpr int kMantissaBits = 0;
  static constexpr double decode(Bits bits) { return static_cast<double>(static_cast<Int>(bits)); }
  static constexpr Bits encode(double value, Overflow = Overflow::saturate) {
    constexpr double kLow = static_cast<double>(std::numeric_limits<Int>::min());
    constexpr double kHigh = static_cast<double>(std::numeric_limits<Int>::max());
    if (value != value) return 0;
    if (value <= kLow) return static_cast<Bits>(std::numeric_limits<Int>::min());
    if (value >= kHigh) return static_cast<Bits>(std::numeric_limits<Int>::max());
    return static_cast<Bits>(nearest(value));
  }

 private:
  static constexpr Int nearest(double value) {
    const Int whole = static_cast<Int>(value);
    const double rest = value - static_cast<double>(whole);
    const double size = rest < 0 ? -rest : rest;
    const bool away = size > 0.5 || (size == 0.5 && (whole & 1) != 0);
    return static_cast<Int>(away ? (rest < 0 ? whole - 1 : whole + 1) : whole);
  }
};

template <>
struct Codec<DType::i64> : IntegerCodec<std::int64_t, DType::i64> {};
template <>
struct Codec<DType::i32> : IntegerCodec<std::int32_t, DType::i32> {};
template <>
struct Codec<DType::i16> : IntegerCodec<std::int16_t, DType::i16> {};
template <>
struct Codec<DType::i8> : IntegerCodec<std::int8_t, DType::i8> {};
template <>
struct Codec<DType::u64> : IntegerCodec<std::uint64_t, DType::u64> {};
template <>
struct Codec<DType::u32> : IntegerCodec<std::uint32_t, DType::u32> {};
template <>
struct Codec<DType::u16> : IntegerCodec<std::uint16_t, DType::u16> {};
template <>
struct Codec<DType::u8> : IntegerCodec<std::uint8_t, DType::u8> {};

template <>
struct Codec<DType::boolean> {
  using Bits = std::uint8_t;
  static constexpr DType kDType = DType::boolean;
  static constexpr bool kFloating = false;
  static constexpr int kMantissaBits = 0;
  static constexpr double decode(Bits bits) { return bits; }  ///< a byte other than 0 and 1 shows as itself
  static constexpr Bits encode(double value, Overflow = Overflow::saturate) { return value != 0 && value == value; }
};

/// Calls `function(Codec<D>{})` for the element type `dtype`.
template <class Function>
constexpr decltype(auto) visit_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::f64:
      return function(Codec<DType::f64>{});
    case DType::f32:
      return function(Codec<DType::f32>{});
    case DType::f16:
      return function(Codec<DType::f16>{});
    case DType::bf16:
      return function(Codec<DType::bf16>{});
    case DType::e4m3:
      return function(Codec<DType::e4m3>{});
    case DType::e5m2:
      return function(Codec<DType::e5m2>{});
    case DType::i64:
      return function(Codec<DType::i64>{});
    case DType::i32:
      return function(Codec<DType::i32>{});
    case DType::i16:
      return function(Codec<DType::i16>{});
    case DType::i8:
      return function(Codec<DType::i8>{});
    case DType::u64:
      return function(Codec<DType::u64>{});
    case DType::u32:
      return function(Codec<DType::u32>{});
    case DType::u16:
      return function(Codec<DType::u16>{});
    case DType::u8:
      return function(Codec<DType::u8>{});
    case DType::boolean:
      break;
  }
  return function(Codec<DType::boolean>{});
}

template <class C>
inline typename C::Bits load_bits(const std::byte* from, C) {
  typename C::Bits bits;
  __builtin_memcpy(&bits, from, sizeof bits);
  return bits;
}

template <class C>
inline void store_bits(std::byte* to, typename C::Bits bits, C) {
  __builtin_memcpy(to, &bits, sizeof bits);
}

/// The element at `from` as a double: exact but for 64-bit integers beyond 2^53, which are rounded.
inline double load_element(DType dtype, const std::byte* from) {
  return visit_dtype(dtype, [from](auto codec) { return codec.decode(load_bits(from, codec)); });
}

/// Writes `value` as an element, rounded to nearest even.
inline void store_element(DType dtype, std::byte* to, double value, Overflow overflow = Overflow::to_infinity) {
  visit_dtype(dtype, [&](auto codec) { store_bits(to, codec.encode(value, overflow), codec); });
}

/// `value` as the element type holds it.
inline double round_to(DType dtype, double value) {
  return visit_dtype(dtype, [value](auto codec) { return codec.decode(codec.encode(value)); });
}

/// Magnitudes that bound a floating element type.
struct FloatLimits {
  double unit_roundoff = 0.0;  ///< half the spacing at 1
  double largest = 0.0;        ///< largest finite value
  double smallest_normal = 0.0;
  double smallest_subnormal = 0.0;  ///< also the spacing of all subnormals
};

/// Limits of a floating element type; all zero for integers.
constexpr FloatLimits limits_of(DType dtype) {
  constexpr FloatLimits kLimits[] = {
      {0x1p-53, std::numeric_limits<double>::max(), 0x1p-1022, 0x1p-1074},
      {0x1p-24, std::numeric_limits<float>::max(), 0x1p-126, 0x1p-149},
      {0x1p-11, 65504.0, 0x1p-14, 0x1p-24},
      {0x1p-8, 0x1.fep127, 0x1p-126, 0x1p-133},
      {0x1p-4, 448.0, 0x1p-6, 0x1p-9},
      {0x1p-3, 57344.0, 0x1p-14, 0x1p-16},
  };
  return is_floating(dtype) ? kLimits[static_cast<std::size_t>(dtype)] : FloatLimits{};
}

}  // namespace assay
