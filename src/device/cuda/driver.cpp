#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <memory>

#include "core/error.h"

namespace assay::cuda {
namespace {

/// The real path of a loaded library.
std::string path_of(void* library) {
  link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return {};
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(map->l_name, nullptr), &std::free);
  return real ? real.get() : map->l_name;
}

/// Name of the first function that the library lacks; empty: none.
std::string bind(void* library, Driver& driver) {
  std::string missing;
  const auto take = [&](auto& member, const char* symbol) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, symbol));
    if (!member && missing.empty()) missing = symbol;
  };
#define ASSAY_CUDA_BIND(member, symbol, arguments) take(driver.member, symbol);
  ASSAY_CUDA_CALLS(ASSAY_CUDA_BIND)
#undef ASSAY_CUDA_BIND
  return missing;
}

std::variant<const Driver*, std::string> opened(const std::string& path) {
  void* library = ::dlopen(path.empty() ? "libcuda.so.1" : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::string("no CUDA driver here: ") + ::dlerror();
  static Driver driver;
  driver.path = path_of(library);
  const std::string missing = bind(library, driver);
  if (!missing.empty()) {
    return "the CUDA driver " + driver.path + " is too old: it has no " + missing + "; CUDA 12.0 or later is needed";
  }
  return &driver;
}

}  // namespace

std::string Driver::text(Result result) const {
  const char* name = nullptr;
  const char* words = nullptr;
  std::string all = "CUDA error " + std::to_string(result);
  if (error_name(result, &name) != 0 || !name) return all;
  all += std::string(" (") + name;
  if (error_string(result, &words) == 0 && words) all += std::string(": ") + words;
  return all + ")";
}

std::size_t Driver::granule(Ordinal device) const {
  AllocationProperties properties;
  properties.location.id = device;
  std::size_t bytes = 0;
  must(granularity(&bytes, &properties, kMinimumGranularity), "no granularity of the CUDA device");
  return bytes;
}

void Driver::must(Result result, const std::string& what) const {
  if (result != 0) throw Error(what + ": " + text(result));
}

std::variant<const Driver*, std::string> open_driver(const std::string& path) {
  static const std::variant<const Driver*, std::string> driver = opened(path);
  return driver;
}

}  // namespace assay::cuda
