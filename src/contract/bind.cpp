#include "contract/bind.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "contract/words.h"
#include "core/arguments.h"

namespace assay::contract {
namespace {

/// What a call's argument is asked to be, from a prototype or from `args`.
struct Request {
  const Node& node;
  std::size_t offset = 0;  ///< of the name, for messages
  std::string name;
  std::optional<CType> type;     ///< nothing: `args` doesn't say
  std::optional<DType> element;  ///< of a pointer in a prototype
  bool is_stream = false;
  bool typed = true;
};

using Bound = std::optional<Argument>;

Bound refuse(Reader& reader, const Request& request, const std::string& message) {
  reader.fail_inside(request.node, request.offset, message);
  return std::nullopt;
}

struct Reserved {
  std::string_view name;
  ArgKind kind;
  CType preset;
  bool pointer;
};

constexpr std::array<Reserved, 5> kReserved{{{"stream", ArgKind::stream, CType::pointer, true},
                                             {"device", ArgKind::device, CType::i32, false},
                                             {"workspace", ArgKind::workspace, CType::pointer, true},
                                             {"workspace_bytes", ArgKind::workspace_bytes, CType::u64, false},
                                             {"null", ArgKind::null, CType::pointer, true}}};

Bound bind_reserved(Reader& reader, const Request& request, const Reserved& reserved) {
  Argument argument;
  argument.kind = reserved.kind;
  argument.type = request.type.value_or(reserved.preset);
  if (reserved.pointer && argument.type != CType::pointer) {
    return refuse(reader, request, "'" + request.name + "' is a pointer, not " + std::string(name_of(argument.type)));
  }
  if (!reserved.pointer && !is_integer(argument.type)) {
    return refuse(reader, request, "'" + request.name + "' is an integer, not " + std::string(name_of(argument.type)));
  }
  return argument;
}

/// Two-byte and one-byte floats often travel as plain integers of their width.
bool points_at(DType element, DType dtype) {
  if (element == dtype) return true;
  const bool raw = info(element).number == NumberClass::unsigned_integer && info(element).bytes == info(dtype).bytes;
  return raw && info(dtype).bytes <= 2 && (is_floating(dtype) || dtype == DType::boolean);
}

Bound bind_tensor(Reader& reader, const Request& request) {
  Argument argument;
  argument.name = request.name;
  if (request.type.value_or(CType::pointer) != CType::pointer) {
    return refuse(reader, request,
                  "tensor '" + request.name + "' is passed as a pointer, not " + std::string(name_of(*request.type)));
  }
  const Tensor* tensor = reader.contract.find_tensor(request.name);
  const bool checked = tensor && request.element && !reader.broken.contains(request.name);
  if (checked && !points_at(*request.element, tensor->dtype)) {
    return refuse(reader, request,
                  "tensor '" + request.name + "' holds " + std::string(info(tensor->dtype).name) +
                      ", but the pointer is to " + std::string(info(*request.element).name));
  }
  return argument;
}

std::string untyped(const Request& request, std::string_view what, std::string_view example) {
  return std::string(what) + " '" + request.name + "' needs a C type: write \"" + request.name + ":" +
         std::string(example) + "\"";
}

Bound bind_axis(Reader& reader, const Request& request) {
  if (!request.type && request.typed) return refuse(reader, request, untyped(request, "axis", "i64"));
  Argument argument;
  argument.kind = ArgKind::axis;
  argument.name = request.name;
  argument.type = request.type.value_or(CType::i64);
  if (is_integer(argument.type)) return argument;
  return refuse(reader, request,
                "axis '" + request.name + "' is an integer, not " + std::string(name_of(argument.type)));
}

/// Empty if every declared value of a param can be passed as `type`.
std::string unfit_param(const Param& param, CType type) {
  const NumberClass number = info(param.dtype).number;
  const std::string what = "param '" + param.name + "' of dtype " + std::string(info(param.dtype).name);
  const bool floating = number == NumberClass::floating && (type == CType::f32 || type == CType::f64);
  const bool truth = number == NumberClass::boolean && (type == CType::boolean || is_integer(type));
  const bool as_double = type == CType::f64, is_double = param.dtype == DType::f64;
  if (floating && as_double != is_double) {
    return what + " is passed as " + (as_double ? "double" : "float") + ": declare it " +
           (as_double ? "float64" : "float32") + ", or write what the function really takes";
  }
  if (floating || truth) return {};
  if (number == NumberClass::floating || number == NumberClass::boolean || !is_integer(type)) {
    return what + " can't be passed as " + std::string(name_of(type));
  }
  for (double value : param.values) {
    if (integer_fits(type, static_cast<std::int64_t>(value))) continue;
    return what + ": its value " + std::to_string(static_cast<std::int64_t>(value)) + " does not fit " +
           std::string(name_of(type));
  }
  return {};
}

CType widest(DType dtype) {
  const NumberClass number = info(dtype).number;
  if (number == NumberClass::floating) return CType::f64;
  return number == NumberClass::boolean ? CType::boolean : CType::i64;
}

Bound bind_param(Reader& reader, const Request& request) {
  if (!request.type && request.typed) return refuse(reader, request, untyped(request, "param", "f32"));
  Argument argument;
  argument.kind = ArgKind::param;
  argument.name = request.name;
  const Param* param = reader.contract.find_param(request.name);
  argument.type = request.type.value_or(param ? widest(param->dtype) : CType::f64);
  if (!param || reader.broken.contains(request.name)) return argument;
  const std::string problem = unfit_param(*param, argument.type);
  if (!problem.empty()) return refuse(reader, request, problem);
  return argument;
}

std::vector<std::string_view> known_names(const Reader& reader) {
  std::vector<std::string_view> known;
  for (const auto* names : {&reader.tensor_names, &reader.axis_names, &reader.param_names}) {
    known.insert(known.end(), names->begin(), names->end());
  }
  for (const Reserved& reserved : kReserved) known.push_back(reserved.name);
  return known;
}

Bound bind_named(Reader& reader, const Request& request) {
  if (reader.misnamed.contains(request.name)) return std::nullopt;  // reported where it is declared
  for (const Reserved& reserved : kReserved) {
    if (reserved.name == request.name) return bind_reserved(reader, request, reserved);
  }
  if (request.is_stream) {
    Argument argument;
    argument.kind = ArgKind::stream;
    return argument;
  }
  if (reader.tensor_names.contains(request.name)) return bind_tensor(reader, request);
  if (reader.axis_names.contains(request.name)) return bind_axis(reader, request);
  if (reader.param_names.contains(request.name)) return bind_param(reader, request);
  return refuse(reader, request, unknown_word("argument", request.name, known_names(reader)));
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size();
}

/// The part of a literal between "const " and ":type".
Bound literal(Reader& reader, const Request& request, std::string_view digits) {
  Argument argument;
  argument.kind = ArgKind::literal;
  argument.type = *request.type;
  const std::string type(name_of(argument.type));
  if (argument.type == CType::pointer) return refuse(reader, request, "a pointer can't be a constant: write \"null\"");
  if (argument.type == CType::f32 || argument.type == CType::f64) {
    if (!parse_number(digits, argument.real)) return refuse(reader, request, "'" + clip(digits) + "' is no number");
    return argument;
  }
  if (argument.type == CType::boolean && (digits == "true" || digits == "false")) {
    argument.integer = digits == "true" ? 1 : 0;
    return argument;
  }
  if (!parse_number(digits, argument.integer)) return refuse(reader, request, "'" + clip(digits) + "' is no " + type);
  const bool fits = argument.type == CType::boolean ? argument.integer == 0 || argument.integer == 1
                                                    : integer_fits(argument.type, argument.integer);
  if (!fits) return refuse(reader, request, clip(digits) + " does not fit " + type);
  return argument;
}

/// The C type after the colon; false after a report if it is unknown.
bool read_type(Reader& reader, Request& request, std::string_view text, std::size_t colon) {
  if (colon == std::string_view::npos) return true;
  const std::string_view wanted = text.substr(colon + 1);
  for (const Word<CType>& word : kCTypes) {
    if (word.name == wanted) request.type = word.value;
  }
  if (request.type) return true;
  reader.fail_inside(request.node, colon + 1, unknown_word("C type", wanted, names_of(kCTypes)));
  return false;
}

Bound bind_text(Reader& reader, const Node& item, bool typed) {
  constexpr std::string_view kConst = "const ";
  const std::string_view text = item.text;
  const std::size_t colon = text.rfind(':');
  Request request{item, 0, std::string(text.substr(0, colon)), std::nullopt, std::nullopt, false, typed};
  if (!read_type(reader, request, text, colon)) return std::nullopt;
  if (!text.starts_with(kConst)) return bind_named(reader, request);
  request.offset = kConst.size();
  if (!request.type) return refuse(reader, request, "a constant needs a C type: write \"" + clip(text) + ":i32\"");
  return literal(reader, request, std::string_view(request.name).substr(kConst.size()));
}

Argument plain(ArgKind kind, const std::string& name, CType type) {
  Argument argument;
  argument.kind = kind;
  argument.name = name;
  argument.type = type;
  return argument;
}

}  // namespace

std::vector<Argument> bind_prototype(Reader& reader, const Node& node, const Prototype& prototype) {
  std::vector<Argument> arguments;
  for (const CParameter& parameter : prototype.parameters) {
    const Request request{
        node, parameter.offset, parameter.name, parameter.type, parameter.element, parameter.is_stream, true};
    const Bound bound = bind_named(reader, request);
    if (bound) arguments.push_back(*bound);
  }
  return arguments;
}

std::vector<Argument> bind_list(Reader& reader, const Node& node, bool typed) {
  std::vector<Argument> arguments;
  if (!reader.expect(node, NodeKind::array)) return arguments;
  for (const Node& item : node.items) {
    std::string text;
    const Bound bound = reader.read(item, text) ? bind_text(reader, item, typed) : std::nullopt;
    if (bound) arguments.push_back(*bound);
  }
  return arguments;
}

std::vector<Argument> bind_default(const Contract& contract, bool pass_outputs) {
  std::vector<Argument> arguments;
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.role != Role::out) arguments.push_back(plain(ArgKind::tensor, tensor.name, CType::pointer));
  }
  for (const Param& param : contract.params)
    arguments.push_back(plain(ArgKind::param, param.name, widest(param.dtype)));
  for (const Tensor& tensor : contract.tensors) {
    if (pass_outputs && tensor.role == Role::out) {
      arguments.push_back(plain(ArgKind::tensor, tensor.name, CType::pointer));
    }
  }
  return arguments;
}

}  // namespace assay::contract
