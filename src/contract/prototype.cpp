#include "contract/prototype.h"

#include <algorithm>
#include <array>
#include <span>

#include "contract/names.h"
#include "contract/reader.h"
#include "contract/words.h"
#include "core/nearest.h"

// Theory of operation: the text is cut into tokens, the tokens between the outermost parentheses into parameters at
// their commas, and each parameter into words, stars, a name and brackets. A mistake ends its parameter, not the
// declaration, so that all are found. Only what registers can hold is accepted (ABI.md): integers, floats, pointers,
// streams.

namespace assay::contract {
namespace {

constexpr std::size_t kMaxLength = 16384;
constexpr std::size_t kMaxParameters = 256;

struct Token {
  std::string_view text;
  std::size_t offset = 0;
};
using Tokens = std::span<const Token>;

bool is_word(const Token& token) {
  return is_identifier(token.text);
}

std::size_t token_length(std::string_view rest) {
  if (rest.starts_with("...")) return 3;
  std::size_t n = 0;
  while (n < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[n])) || rest[n] == '_')) ++n;
  if (n > 0) return n;
  // One whole character: messages must stay valid UTF-8.
  for (n = 1; n < rest.size() && (static_cast<unsigned char>(rest[n]) & 0xC0U) == 0x80U;) ++n;
  return n;
}

std::vector<Token> tokenise(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    const std::size_t length = token_length(text.substr(at));
    tokens.push_back({text.substr(at, length), at});
    at += length;
  }
  return tokens;
}

/// A C type without stars: what a register of it holds and what a pointer to it points at.
struct Type {
  std::optional<CType> value;    ///< nothing: not by value
  std::optional<DType> element;  ///< nothing: void, or not as a pointer
  bool is_stream = false;
  bool is_void = false;
  ReturnKind status = ReturnKind::element;  ///< what returning it means
};

struct NamedType {
  std::string_view name;
  Type type;
};

constexpr Type scalar(CType value, DType element, ReturnKind status = ReturnKind::element) {
  return {value, element, false, false, status};
}
constexpr Type element_only(DType element) {
  return {std::nullopt, element};
}
constexpr Type stream() {
  return {CType::pointer, std::nullopt, true};
}
constexpr Type code(ReturnKind status) {
  return {CType::i32, DType::i32, false, false, status};
}

constexpr NamedType kTypes[] = {
    {"void", {std::nullopt, std::nullopt, false, true, ReturnKind::nothing}},
    {"float", scalar(CType::f32, DType::f32)},
    {"double", scalar(CType::f64, DType::f64)},
    {"bool", scalar(CType::boolean, DType::boolean)},
    {"_Bool", scalar(CType::boolean, DType::boolean)},
    {"int8_t", scalar(CType::i8, DType::i8)},
    {"int16_t", scalar(CType::i16, DType::i16)},
    {"int32_t", scalar(CType::i32, DType::i32, ReturnKind::status32)},
    {"int64_t", scalar(CType::i64, DType::i64, ReturnKind::status64)},
    {"uint8_t", scalar(CType::u8, DType::u8)},
    {"uint16_t", scalar(CType::u16, DType::u16)},
    {"uint32_t", scalar(CType::u32, DType::u32)},
    {"uint64_t", scalar(CType::u64, DType::u64)},
    {"size_t", scalar(CType::u64, DType::u64)},
    {"i8", scalar(CType::i8, DType::i8)},
    {"i16", scalar(CType::i16, DType::i16)},
    {"i32", scalar(CType::i32, DType::i32, ReturnKind::status32)},
    {"i64", scalar(CType::i64, DType::i64, ReturnKind::status64)},
    {"u8", scalar(CType::u8, DType::u8)},
    {"u16", scalar(CType::u16, DType::u16)},
    {"u32", scalar(CType::u32, DType::u32)},
    {"u64", scalar(CType::u64, DType::u64)},
    {"usize", scalar(CType::u64, DType::u64)},
    {"f32", scalar(CType::f32, DType::f32)},
    {"f64", scalar(CType::f64, DType::f64)},
    {"half", element_only(DType::f16)},
    {"__half", element_only(DType::f16)},
    {"__nv_bfloat16", element_only(DType::bf16)},
    {"__nv_fp8_e4m3", element_only(DType::e4m3)},
    {"__nv_fp8_e5m2", element_only(DType::e5m2)},
    {"ptr", {CType::pointer, std::nullopt}},
    {"CUdeviceptr", {CType::pointer, std::nullopt}},
    {"cudaStream_t", stream()},
    {"hipStream_t", stream()},
    {"CUstream", stream()},
    {"cudaError_t", code(ReturnKind::cuda_error)},
    {"hipError_t", code(ReturnKind::hip_error)},
    {"CUresult", code(ReturnKind::cu_result)},
};

constexpr std::array<std::string_view, 6> kQualifiers{"const",      "volatile",     "restrict",
                                                      "__restrict", "__restrict__", "register"};
constexpr std::array<std::string_view, 6> kIntegerWords{"signed", "unsigned", "char", "short", "int", "long"};
constexpr std::array<std::string_view, 6> kStorage{"extern", "static", "inline", "__global__", "constexpr", "typedef"};

template <std::size_t N>
bool listed(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t count(const std::vector<Token>& words, std::string_view word) {
  return static_cast<std::size_t>(
      std::count_if(words.begin(), words.end(), [&](const Token& t) { return t.text == word; }));
}

/// "unsigned long long int" and the other spellings that C allows in any order; nothing if they contradict each other.
std::optional<Type> integer_type(const std::vector<Token>& words) {
  std::array<std::size_t, kIntegerWords.size()> seen{};
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = count(words, kIntegerWords[i]);
  const auto [is_signed, is_unsigned, chars, shorts, ints, longs] = seen;
  const std::size_t total = is_signed + is_unsigned + chars + shorts + ints + longs;
  const bool sizes_clash = (chars > 0) + (shorts > 0) + (longs > 0) > 1 || (chars > 0 && ints > 0);
  if (total != words.size() || is_signed + is_unsigned > 1 || chars > 1 || shorts > 1 || ints > 1 || longs > 2 ||
      sizes_clash) {
    return std::nullopt;
  }
  const bool plain = is_unsigned == 0;
  if (chars > 0) return plain ? scalar(CType::i8, DType::i8) : scalar(CType::u8, DType::u8);
  if (shorts > 0) return plain ? scalar(CType::i16, DType::i16) : scalar(CType::u16, DType::u16);
  if (longs > 0) return plain ? scalar(CType::i64, DType::i64, ReturnKind::status64) : scalar(CType::u64, DType::u64);
  return plain ? scalar(CType::i32, DType::i32, ReturnKind::status32) : scalar(CType::u32, DType::u32);
}

bool names_a_type(std::string_view word) {
  if (listed(kIntegerWords, word)) return true;
  return std::any_of(std::begin(kTypes), std::end(kTypes), [&](const NamedType& t) { return t.name == word; });
}

std::string joined(const std::vector<Token>& words) {
  std::string text;
  for (const Token& word : words) text += (text.empty() ? "" : " ") + std::string(word.text);
  return clip(text);
}

using Failure = std::optional<PrototypeError>;

/// Reasons that a declaration of this kind is refused whatever follows.
Failure refused(const Token& token, bool by_value) {
  if (token.text == "struct" || token.text == "union" || token.text == "class") {
    return PrototypeError{token.offset, by_value ? std::string(token.text) + " by value is not supported"
                                                 : "a pointer to a " + std::string(token.text) + " is not supported"};
  }
  if (token.text == "enum") return PrototypeError{token.offset, "write an enumeration as 'int'"};
  if (listed(kStorage, token.text)) {
    return PrototypeError{token.offset, "write the declaration without '" + std::string(token.text) + "'"};
  }
  return std::nullopt;
}

std::variant<Type, PrototypeError> find_type(const std::vector<Token>& words, std::size_t at, bool by_value) {
  if (words.empty()) return PrototypeError{at, "a type is missing"};
  for (const Token& word : words) {
    if (const Failure failure = refused(word, by_value)) return *failure;
  }
  if (const auto integer = integer_type(words)) return *integer;
  for (const NamedType& known : kTypes) {
    if (words.size() == 1 && words.front().text == known.name) return known.type;
  }
  const std::string spelled = joined(words);
  std::vector<std::string_view> names(kIntegerWords.begin(), kIntegerWords.end());
  for (const NamedType& known : kTypes) {
    if (known.name.size() > 3) names.push_back(known.name);  // "i8" is near to everything short
  }
  const std::string near = did_you_mean(spelled, names);
  return PrototypeError{words.front().offset,
                        "unknown type '" + spelled + "'" +
                            (near.empty() ? "; known: C's integers, float, double, bool, pointers to them or to void, "
                                            "half, __nv_bfloat16 and __nv_fp8 pointers, streams"
                                          : near)};
}

/// What stands before a name, without qualifiers.
struct Declarator {
  std::vector<Token> type;
  std::size_t stars = 0;
  std::optional<Token> name;
  Tokens rest;  ///< after the name
};

std::variant<Declarator, PrototypeError> split(Tokens tokens) {
  Declarator result;
  std::size_t at = 0;
  for (; at < tokens.size() && (is_word(tokens[at]) || tokens[at].text == "*"); ++at) {
    const Token& token = tokens[at];
    if (token.text == "*") {
      ++result.stars;
    } else if (listed(kQualifiers, token.text)) {
      continue;
    } else if (result.stars == 0) {
      result.type.push_back(token);
    } else if (result.name) {
      return PrototypeError{token.offset,
                            "unexpected '" + clip(token.text) + "' after the name '" + clip(result.name->text) + "'"};
    } else {
      result.name = token;
    }
  }
  // Without a star the last word is the name, unless it is a type: "unsigned n", "unsigned long".
  if (result.stars == 0 && result.type.size() > 1 && !names_a_type(result.type.back().text)) {
    result.name = result.type.back();
    result.type.pop_back();
  }
  result.rest = tokens.subspan(at);
  return result;
}

/// "[]" or "[64]" after a name: an array parameter is a pointer.
std::variant<std::size_t, PrototypeError> array_stars(Tokens rest) {
  if (rest.empty()) return std::size_t{0};
  const bool empty = rest.size() == 2 && rest[0].text == "[" && rest[1].text == "]";
  const bool sized = rest.size() == 3 && rest[0].text == "[" && rest[2].text == "]" && rest[1].text != "]";
  if (empty || sized) return std::size_t{1};
  const std::string text = clip(rest.front().text);
  if (text == "[") return PrototypeError{rest.front().offset, "only one pair of brackets is allowed: write a pointer"};
  return PrototypeError{rest.front().offset, "unexpected '" + text + "'"};
}

Failure unsupported(Tokens tokens) {
  for (const Token& token : tokens) {
    if (token.text == "...") return PrototypeError{token.offset, "variable arguments are not supported"};
    if (token.text == "(") return PrototypeError{token.offset, "function pointers are not supported"};
    if (token.text == "&") return PrototypeError{token.offset, "references are not supported: write a pointer"};
    if (token.text == "=") return PrototypeError{token.offset, "default arguments are not supported"};
    if (token.text == ":") return PrototypeError{token.offset, "qualified names are not supported: drop 'std::'"};
  }
  return std::nullopt;
}

std::variant<CParameter, PrototypeError> typed(const Declarator& declarator, std::size_t stars, std::size_t at) {
  if (stars > 1) return PrototypeError{at, "a pointer to a pointer is not supported"};
  const auto found = find_type(declarator.type, at, stars == 0);
  if (const auto* error = std::get_if<PrototypeError>(&found)) return *error;
  const Type& type = std::get<Type>(found);
  const std::string spelled = joined(declarator.type);
  CParameter parameter;
  parameter.is_stream = type.is_stream;
  if (stars == 0) {
    if (!type.value) return PrototypeError{at, "'" + spelled + "' can't be passed by value"};
    parameter.type = *type.value;
    return parameter;
  }
  if (!type.element && !type.is_void) return PrototypeError{at, "a pointer to '" + spelled + "' is not supported"};
  parameter.element = type.element;
  return parameter;
}

std::variant<CParameter, PrototypeError> parse_parameter(Tokens tokens, std::size_t number, std::size_t end) {
  const std::size_t at = tokens.empty() ? end : tokens.front().offset;
  const std::string which = "parameter " + std::to_string(number);
  if (tokens.empty()) return PrototypeError{at, which + " is empty"};
  if (const Failure failure = unsupported(tokens)) return *failure;
  auto parts = split(tokens);
  if (const auto* error = std::get_if<PrototypeError>(&parts)) return *error;
  const Declarator& declarator = std::get<Declarator>(parts);
  const auto brackets = array_stars(declarator.rest);
  if (const auto* error = std::get_if<PrototypeError>(&brackets)) return *error;
  auto parameter = typed(declarator, declarator.stars + std::get<std::size_t>(brackets), at);
  if (const auto* error = std::get_if<PrototypeError>(&parameter)) return *error;
  if (!declarator.name) return PrototypeError{at, which + " has no name: names say what is passed"};
  auto& result = std::get<CParameter>(parameter);
  result.name = declarator.name->text;
  result.offset = declarator.name->offset;
  return parameter;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenise(text)), end_(text.size()) {}

  Prototype parse() {
    declaration();
    return std::move(prototype_);
  }

 private:
  void declaration() {
    const Tokens all(tokens_);
    const std::size_t open = find("(", 0);
    if (open == tokens_.size()) {
      return note(end_, "no '(': write a C declaration such as \"int f(const float* x, int64_t n)\"");
    }
    parse_head(all.subspan(0, open));
    const std::size_t close = closing(open);
    if (close == tokens_.size()) return note(end_, "the '(' of the parameters is not closed");
    parse_parameters(all.subspan(open + 1, close - open - 1), tokens_[close].offset);
    const bool semicolon = close + 1 < tokens_.size() && tokens_[close + 1].text == ";";
    const std::size_t after = close + (semicolon ? 2 : 1);
    if (after >= tokens_.size()) return;
    note(tokens_[after].offset, "unexpected '" + clip(tokens_[after].text) + "' after the declaration");
  }

  std::size_t find(std::string_view text, std::size_t from) const {
    while (from < tokens_.size() && tokens_[from].text != text) ++from;
    return from;
  }

  std::size_t closing(std::size_t open) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (tokens_[i].text == "(") ++depth;
      if (tokens_[i].text == ")" && --depth == 0) return i;
    }
    return tokens_.size();
  }

  void parse_head(Tokens head) {
    if (head.empty() || !is_word(head.back()))
      return note(head.empty() ? 0 : head.back().offset, "the function has no name");
    for (const Token& token : head) {
      if (const Failure failure = refused(token, true)) return note(failure->offset, failure->message);
    }
    prototype_.name = head.back().text;
    prototype_.return_offset = head.front().offset;
    auto parts = split(head.subspan(0, head.size() - 1));
    if (const auto* error = std::get_if<PrototypeError>(&parts)) return note(error->offset, error->message);
    Declarator declarator = std::get<Declarator>(std::move(parts));
    if (declarator.name && declarator.stars == 0) declarator.type.push_back(*declarator.name);
    parse_return(declarator);
  }

  void parse_return(const Declarator& declarator) {
    const std::size_t at = prototype_.return_offset;
    if (!declarator.rest.empty())
      return note(declarator.rest.front().offset, "unexpected '" + clip(declarator.rest.front().text) + "'");
    if (declarator.stars > 0) return note(at, "a returned pointer is not supported");
    const auto found = find_type(declarator.type, at, true);
    if (const auto* error = std::get_if<PrototypeError>(&found)) return note(error->offset, error->message);
    const Type& type = std::get<Type>(found);
    if (!type.is_void && (!type.value || *type.value == CType::pointer)) {
      return note(at, "'" + joined(declarator.type) + "' can't be returned");
    }
    prototype_.returns_known = true;
    prototype_.returns = type.status;
    prototype_.return_type = type.value.value_or(CType::i32);
  }

  void parse_parameters(Tokens tokens, std::size_t end) {
    if (tokens.empty() || (tokens.size() == 1 && tokens.front().text == "void")) return;
    for (std::size_t number = 1;; ++number) {
      const std::size_t length = until_comma(tokens);
      const std::size_t stop = length < tokens.size() ? tokens[length].offset : end;
      if (number > kMaxParameters) return note(stop, "more than " + std::to_string(kMaxParameters) + " parameters");
      add(parse_parameter(tokens.subspan(0, length), number, stop));
      if (length == tokens.size()) return;
      tokens = tokens.subspan(length + 1);
    }
  }

  static std::size_t until_comma(Tokens tokens) {
    std::size_t depth = 0, i = 0;
    for (; i < tokens.size() && (depth > 0 || tokens[i].text != ","); ++i) {
      if (tokens[i].text == "(") ++depth;
      if (tokens[i].text == ")") --depth;
    }
    return i;
  }

  void add(std::variant<CParameter, PrototypeError> parsed) {
    if (auto* error = std::get_if<PrototypeError>(&parsed)) return note(error->offset, error->message);
    const CParameter& parameter = std::get<CParameter>(parsed);
    for (const CParameter& other : prototype_.parameters) {
      if (other.name == parameter.name)
        return note(parameter.offset, "two parameters are called '" + clip(parameter.name) + "'");
    }
    prototype_.parameters.push_back(parameter);
  }

  void note(std::size_t offset, std::string message) { prototype_.errors.push_back({offset, std::move(message)}); }

  std::vector<Token> tokens_;
  std::size_t end_;
  Prototype prototype_;
};

}  // namespace

Prototype parse_prototype(std::string_view text) {
  if (text.size() <= kMaxLength) return Parser(text).parse();
  Prototype prototype;
  prototype.errors.push_back({0, "longer than " + std::to_string(kMaxLength) + " characters"});
  return prototype;
}

}  // namespace assay::contract
