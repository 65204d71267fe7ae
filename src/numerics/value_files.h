#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace assay {

/// An array as a file holds it: row-major, little-endian.
struct ArrayFile {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Reads a .npy file (versions 1 to 3, C order), or the tensor `key` of a .safetensors file. Every length in the file
/// is checked against the file's size. Throws Error (usage) that names the file and says what is wrong with it.
ArrayFile read_array(const std::filesystem::path& path, const std::string& key);

}  // namespace assay
