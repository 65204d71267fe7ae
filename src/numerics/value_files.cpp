#include "numerics/value_files.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "numerics/value_kinds.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestHeader = std::uint64_t{100} << 20;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(path.string() + ": " + what, Exit::kUsage);
}

/// A file whose every read is checked against its size.
class CheckedFile {
 public:
  explicit CheckedFile(const std::filesystem::path& path) : path_(path), stream_(path, std::ios::binary) {
    std::error_code error;
    if (!stream_ || !std::filesystem::is_regular_file(path, error)) refuse(path, "no such file, or it can't be read");
    size_ = std::filesystem::file_size(path, error);
    if (error) refuse(path, error.message());
  }

  std::uint64_t size() const { return size_; }

  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t bytes, const std::string& what) {
    if (offset > size_ || bytes > size_ - offset) {
      refuse(path_, what + " ends at byte " + std::to_string(offset) + " + " + std::to_string(bytes) +
                        ", the file at " + std::to_string(size_));
    }
    std::vector<std::byte> data(bytes);
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
    if (!stream_) refuse(path_, "reading " + what + " failed");
    return data;
  }

  std::uint64_t little_endian(std::uint64_t offset, int bytes, const std::string& what) {
    const std::vector<std::byte> data = read(offset, static_cast<std::uint64_t>(bytes), what);
    std::uint64_t value = 0;
    for (std::size_t i = data.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(data[i]);
    return value;
  }

 private:
  std::filesystem::path path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

std::string as_text(const std::vector<std::byte>& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::uint64_t bytes_of(const ArrayFile& array, const std::filesystem::path& path) {
  std::uint64_t bytes = static_cast<std::uint64_t>(info(array.dtype).bytes);
  for (const std::int64_t extent : array.shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) {
      refuse(path, "its shape has a negative or impossible size");
    }
  }
  return bytes;
}

std::optional<DType> npy_dtype(std::string_view descr) {
  struct Row {
    std::string_view descr;
    DType dtype;
  };
  constexpr Row kRows[] = {{"f8", DType::f64}, {"f4", DType::f32}, {"f2", DType::f16}, {"i8", DType::i64},
                           {"i4", DType::i32}, {"i2", DType::i16}, {"i1", DType::i8},  {"u8", DType::u64},
                           {"u4", DType::u32}, {"u2", DType::u16}, {"u1", DType::u8},  {"b1", DType::boolean}};
  if (descr.size() != 3 || descr[0] == '>') return std::nullopt;
  for (const Row& row : kRows) {
    if (descr.substr(1) == row.descr) return row.dtype;
  }
  return std::nullopt;
}

/// What follows 'key': in the dictionary literal that is a .npy header.
std::string_view npy_field(std::string_view header, std::string_view key, const std::filesystem::path& path) {
  const std::size_t at = header.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) refuse(path, "its .npy header lacks '" + std::string(key) + "'");
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::vector<std::int64_t> npy_shape(std::string_view text, const std::filesystem::path& path) {
  const std::size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos) refuse(path, "its .npy shape is no tuple");
  std::vector<std::int64_t> shape;
  std::int64_t value = -1;
  for (const char c : text.substr(1, close - 1)) {
    if (c >= '0' && c <= '9') {
      value = value < 0 ? 0 : value;
      if (value > (INT64_MAX - 9) / 10) refuse(path, "its .npy shape is larger than 2^63 - 1");
      value = value * 10 + (c - '0');
    } else if (c == ',') {
      if (value < 0) refuse(path, "its .npy shape has an empty place");
      shape.push_back(value);
      value = -1;
    } else if (c != ' ') {
      refuse(path, "its .npy shape holds '" + std::string(1, c) + "'");
    }
  }
  if (value >= 0) shape.push_back(value);
  return shape;
}

ArrayFile read_npy(const std::filesystem::path& path) {
  CheckedFile file(path);
  const std::vector<std::byte> magic = file.read(0, 8, "the .npy magic");
  if (std::memcmp(magic.data(), "\x93NUMPY", 6) != 0) refuse(path, "not a .npy file: its magic bytes are wrong");
  const int version = std::to_integer<int>(magic[6]);
  if (version < 1 || version > 3) refuse(path, ".npy version " + std::to_string(version) + "; known are 1, 2 and 3");
  const int width = version == 1 ? 2 : 4;
  const std::uint64_t length = file.little_endian(8, width, "the length of the .npy header");
  const std::uint64_t start = 8 + static_cast<std::uint64_t>(width);
  const std::string header = as_text(file.read(start, length, "the .npy header"));
  const std::string_view descr = npy_field(header, "descr", path);
  const std::size_t close = descr.find('\'', 1);
  if (descr.empty() || descr[0] != '\'' || close == std::string_view::npos) refuse(path, "holds records, not numbers");
  const std::optional<DType> dtype = npy_dtype(descr.substr(1, close - 1));
  if (!dtype) refuse(path, "element type " + std::string(descr.substr(1, close - 1)) + " is none of this tool's");
  if (!npy_field(header, "fortran_order", path).starts_with("False")) {
    refuse(path, "holds Fortran order; save it with numpy.ascontiguousarray");
  }
  ArrayFile array{*dtype, npy_shape(npy_field(header, "shape", path), path), {}};
  array.bytes = file.read(start + length, bytes_of(array, path), "the data");
  return array;
}

const json& member(const json& object, const char* name, const std::filesystem::path& path, const std::string& key) {
  const auto it = object.find(name);
  if (it == object.end()) refuse(path, "tensor '" + key + "' lacks " + name);
  return *it;
}

std::vector<std::uint64_t> numbers(const json& list, const std::filesystem::path& path, const std::string& what) {
  if (!list.is_array()) refuse(path, what + " is no list");
  std::vector<std::uint64_t> all;
  for (const json& each : list) {
    if (!each.is_number_unsigned()) refuse(path, what + " holds something else than sizes");
    all.push_back(each.get<std::uint64_t>());
  }
  return all;
}

const json& safetensor(const json& header, const std::string& key, const std::filesystem::path& path) {
  if (!header.is_object()) refuse(path, "its safetensors header is no object");
  const auto it = header.find(key);
  if (it != header.end() && it->is_object() && key != "__metadata__") return *it;
  std::string known;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__" || known.size() > 200) continue;
    if (!known.empty()) known += ", ";
    known += name;
  }
  refuse(path, "has no tensor '" + key + "'; it holds " + (known.empty() ? "none" : known));
}

ArrayFile read_safetensors(const std::filesystem::path& path, const std::string& key) {
  CheckedFile file(path);
  const std::uint64_t length = file.little_endian(0, 8, "the length of the safetensors header");
  if (length > kLargestHeader) refuse(path, "safetensors header of " + std::to_string(length) + " bytes: over 100 MiB");
  const json header = json::parse(as_text(file.read(8, length, "the safetensors header")), nullptr, false);
  if (header.is_discarded()) refuse(path, "its safetensors header is not JSON");
  const json& entry = safetensor(header, key, path);
  const json& type = member(entry, "dtype", path, key);
  const std::optional<DType> dtype = type.is_string() ? dtype_from_name(type.get<std::string>()) : std::nullopt;
  if (!dtype) refuse(path, "tensor '" + key + "' has element type " + type.dump() + ", none of this tool's");
  ArrayFile array{*dtype, {}, {}};
  for (const std::uint64_t extent : numbers(member(entry, "shape", path, key), path, "the shape of '" + key + "'")) {
    array.shape.push_back(static_cast<std::int64_t>(extent));
  }
  const auto range = numbers(member(entry, "data_offsets", path, key), path, "data_offsets of '" + key + "'");
  if (range.size() != 2 || range[1] < range[0]) refuse(path, "data_offsets of '" + key + "' are no range");
  const std::uint64_t bytes = bytes_of(array, path);
  if (range[1] - range[0] != bytes) {
    refuse(path, "tensor '" + key + "' needs " + std::to_string(bytes) + " bytes, its data_offsets span " +
                     std::to_string(range[1] - range[0]));
  }
  if (range[0] > file.size() || 8 + length > file.size() - range[0])
    refuse(path, "tensor '" + key + "' lies outside the file");
  array.bytes = file.read(8 + length + range[0], bytes, "tensor '" + key + "'");
  return array;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  text += "]";
  return text;
}

}  // namespace

ArrayFile read_array(const std::filesystem::path& path, const std::string& key) {
  if (path.extension() == ".npy") return read_npy(path);
  if (path.extension() == ".safetensors") return read_safetensors(path, key);
  refuse(path, "values come from .npy or .safetensors files");
}

void draw_file(const Draw& draw) {
  const std::filesystem::path path = draw.folder / draw.values.spec.path;
  const ArrayFile array = read_array(path, draw.values.spec.key);
  const std::string wanted =
      "tensors." + draw.tensor + " is " + std::string(info(draw.dtype).name) + " " + shape_text(draw.shape);
  if (array.dtype != draw.dtype ||
      !std::equal(array.shape.begin(), array.shape.end(), draw.shape.begin(), draw.shape.end())) {
    refuse(path, "holds " + std::string(info(array.dtype).name) + " " + shape_text(array.shape) + ", but " + wanted);
  }
  std::memcpy(draw.data, array.bytes.data(), array.bytes.size());
}

}  // namespace assay
