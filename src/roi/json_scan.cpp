#include "roi/json_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace assay::roi {
namespace {

constexpr std::size_t kDeepest = 512;

/// Bytes that end a run: a table, because this loop sees every byte of the file.
constexpr std::array<bool, 256> table_of(std::string_view letters) {
  std::array<bool, 256> table{};
  for (char c : letters) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kStructure = table_of("\"{}[]");
constexpr std::array<bool, 256> kStringEnd = table_of("\"\\");
constexpr std::array<bool, 256> kBlank = table_of(" \t\r\n");
constexpr std::array<bool, 256> kScalarEnd = table_of(" \t\r\n,]}:\"[{");

bool is(const std::array<bool, 256>& table, char c) {
  return table[static_cast<unsigned char>(c)];
}

/// The first byte of the table, or the end. Pointers by value: through a member every step would go to memory.
const char* find(const std::array<bool, 256>& table, const char* at, const char* end) {
  for (; end - at >= 4; at += 4) {
    if (is(table, at[0])) return at;
    if (is(table, at[1])) return at + 1;
    if (is(table, at[2])) return at + 2;
    if (is(table, at[3])) return at + 3;
  }
  while (at != end && !is(table, *at)) ++at;
  return at;
}

const char* past_blanks(const char* at, const char* end) {
  while (at != end && is(kBlank, *at)) ++at;
  return at;
}

constexpr std::string_view kCutShort = "the JSON is cut short; was the profile written to its end?";

}  // namespace

char JsonScanner::next_visible() {
  for (;;) {
    window_.at = past_blanks(window_.at, window_.end);
    if (window_.at != window_.end) return *window_.at;
    if (!window_.refill()) fail(std::string(kCutShort));
  }
}

void JsonScanner::expect(char wanted, const char* what) {
  const char got = next_visible();
  if (got != wanted) fail(std::string("expected ") + what + ", found '" + got + "'");
  ++window_.at;
}

JsonScanner::Kind JsonScanner::peek() {
  const char c = next_visible();
  if (c == '{') return Kind::object;
  if (c == '[') return Kind::array;
  if (c == '"') return Kind::string;
  if (c == '-' || (c >= '0' && c <= '9')) return Kind::number;
  if (c >= 'A' && c <= 'z') return Kind::literal;
  fail(std::string("expected a value, found '") + c + "'");
}

void JsonScanner::begin_object() {
  expect('{', "an object");
  fresh_ = true;
}

void JsonScanner::begin_array() {
  expect('[', "an array");
  fresh_ = true;
}

bool JsonScanner::next_key(std::string_view& key) {
  const bool first = fresh_;
  fresh_ = false;
  if (next_visible() == '}') {
    ++window_.at;
    return false;
  }
  if (!first) expect(',', "',' or '}'");
  bool escaped = false;
  const std::string_view raw = raw_string(escaped);
  // The colon may lie past the window, where looking for it moves the bytes of the key.
  if (escaped || window_.at == window_.end || *window_.at != ':') {
    key = decoded(raw);
    expect(':', "':'");
    return true;
  }
  ++window_.at;
  key = raw;
  return true;
}

bool JsonScanner::next_element() {
  const bool first = fresh_;
  fresh_ = false;
  if (next_visible() == ']') {
    ++window_.at;
    return false;
  }
  if (!first) expect(',', "',' or ']'");
  return true;
}

std::string_view JsonScanner::raw_string(bool& escaped) {
  expect('"', "a string");
  const char* start = window_.at;
  escaped = false;
  for (;;) {
    window_.at = find(kStringEnd, window_.at, window_.end);
    if (window_.at == window_.end) {
      if (!window_.refill(start)) fail(std::string(kCutShort));
      continue;
    }
    if (*window_.at == '"') break;
    escaped = true;
    if (window_.end - window_.at < 2 && !window_.refill(start)) fail(std::string(kCutShort));
    window_.at += 2;
  }
  const std::string_view raw(start, static_cast<std::size_t>(window_.at - start));
  ++window_.at;
  return raw;
}

namespace {

void append_utf8(std::string& text, unsigned point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | (point >> 6));
    text += static_cast<char>(0x80 | (point & 63));
  } else {
    text += static_cast<char>(0xE0 | (point >> 12));
    text += static_cast<char>(0x80 | ((point >> 6) & 63));
    text += static_cast<char>(0x80 | (point & 63));
  }
}

/// What a one-letter escape stands for; 0: none.
char plain_escape(char letter) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  const std::size_t at = kLetters.find(letter);
  return at == std::string_view::npos ? '\0' : kMeant[at];
}

}  // namespace

std::string_view JsonScanner::decoded(std::string_view raw) {
  scratch_.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      scratch_ += raw[i];
      continue;
    }
    const char letter = raw[++i];
    const char plain = plain_escape(letter);
    unsigned point = 0;
    const char* digits = raw.data() + i + 1;
    const bool code =
        letter == 'u' && raw.size() - i > 4 && std::from_chars(digits, digits + 4, point, 16).ptr == digits + 4;
    if (plain == '\0' && !code) fail(std::string("bad escape '\\") + letter + "' in a string");
    if (plain != '\0') {
      scratch_ += plain;
    } else {
      append_utf8(scratch_, point);
      i += 4;
    }
  }
  return scratch_;
}

std::string_view JsonScanner::string() {
  bool escaped = false;
  const std::string_view raw = raw_string(escaped);
  return escaped ? decoded(raw) : raw;
}

std::string_view JsonScanner::raw_scalar() {
  next_visible();
  const char* start = window_.at;
  for (;;) {
    window_.at = find(kScalarEnd, window_.at, window_.end);
    if (window_.at != window_.end || !window_.refill(start)) break;
  }
  return {start, static_cast<std::size_t>(window_.at - start)};
}

double JsonScanner::number() {
  const std::string_view text = raw_scalar();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    fail("expected a number, found '" + std::string(text.substr(0, 40)) + "'");
  }
  return value;
}

std::int64_t JsonScanner::integer() {
  const std::string_view text = raw_scalar();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail("expected a whole number, found '" + std::string(text.substr(0, 40)) + "'");
  }
  return value;
}

namespace {

/// Three decimals of a text such as ".7005" as a number from 0 to 999; -1: no decimals.
int thousandths(std::string_view decimals) {
  int value = 0;
  for (std::size_t i = 0; i < decimals.size(); ++i) {
    if (decimals[i] < '0' || decimals[i] > '9') return -1;
    if (i < 3) value = value * 10 + (decimals[i] - '0');
  }
  for (std::size_t i = decimals.size(); i < 3; ++i) value *= 10;
  return value;
}

}  // namespace

std::int64_t JsonScanner::microseconds_as_ns() {
  constexpr std::int64_t kMost = INT64_MAX / 1000 - 1;
  const std::string_view text = raw_scalar();
  const char* const last = text.data() + text.size();
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), last, whole);
  const bool fraction = error == std::errc() && end != last && *end == '.';
  const int part = fraction ? thousandths({end + 1, static_cast<std::size_t>(last - end - 1)}) : 0;
  if (error == std::errc() && (end == last || fraction) && part >= 0 && std::abs(whole) <= kMost) {
    return whole * 1000 + (text.front() == '-' ? -part : part);
  }
  double value = 0.0;
  const auto real = std::from_chars(text.data(), last, value);
  if (real.ec != std::errc() || real.ptr != last || !(std::fabs(value) <= static_cast<double>(kMost))) {
    fail("expected a time in microseconds, found '" + std::string(text.substr(0, 40)) + "'");
  }
  return std::llround(value * 1000.0);
}

void JsonScanner::skip_string() {
  for (;;) {
    window_.at = find(kStringEnd, window_.at, window_.end);
    if (window_.at == window_.end) {
      if (!window_.refill()) fail(std::string(kCutShort));
      continue;
    }
    if (*window_.at++ == '"') return;
    if (window_.at == window_.end && !window_.refill()) fail(std::string(kCutShort));
    ++window_.at;
  }
}

/// Past the bracket that ends what has begun.
void JsonScanner::skip_to(char closer) {
  closers_.assign(1, closer);
  fresh_ = false;
  while (!closers_.empty()) {
    window_.at = find(kStructure, window_.at, window_.end);
    if (window_.at == window_.end) {
      if (!window_.refill()) fail(std::string(kCutShort));
      continue;
    }
    const char c = *window_.at++;
    if (c == '"') {
      skip_string();
    } else if (c == '{' || c == '[') {
      if (closers_.size() == kDeepest) fail("more than 512 levels of brackets");
      closers_.push_back(c == '{' ? '}' : ']');
    } else if (c == closers_.back()) {
      closers_.pop_back();
    } else {
      fail(std::string("expected '") + closers_.back() + "', found '" + c + "'");
    }
  }
}

void JsonScanner::skip_scalar() {
  constexpr std::array<std::string_view, 6> kLiterals{"true", "false", "null", "NaN", "Infinity", "-Infinity"};
  const std::string_view text = raw_scalar();
  if (std::find(kLiterals.begin(), kLiterals.end(), text) != kLiterals.end()) return;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!number) fail("expected a value, found '" + std::string(text.substr(0, 40)) + "'");
}

void JsonScanner::skip() {
  const char first = next_visible();
  if (first == '"') {
    ++window_.at;
    return skip_string();
  }
  if (first != '{' && first != '[') return skip_scalar();
  ++window_.at;
  skip_to(first == '{' ? '}' : ']');
}

void JsonScanner::expect_end() {
  for (;;) {
    window_.at = past_blanks(window_.at, window_.end);
    if (window_.at != window_.end) fail(std::string("expected the end of the file, found '") + *window_.at + "'");
    if (!window_.refill()) return;
  }
}

}  // namespace assay::roi
