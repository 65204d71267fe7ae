#include "worker/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/nearest.h"
#include "worker/builtin.h"
#include "worker/elf_file.h"

namespace assay::worker {
namespace {

std::string last_dl_error() {
  const char* text = ::dlerror();
  return text ? text : "the loader gives no reason";
}

/// The folder is the sandbox's own, and says nothing to a reader.
std::string without_folder(std::string text, const std::string& folder) {
  for (std::size_t at = text.find(folder + "/"); at != std::string::npos; at = text.find(folder + "/")) {
    text.erase(at, folder.size() + 1);
  }
  return text;
}

/// One of `files` that the loader says it can't find.
const sandbox::NamedFile* missing_neighbour(const std::string& error, const std::vector<sandbox::NamedFile>& files) {
  if (error.find("cannot open shared object file") == std::string::npos) return nullptr;
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (error.compare(0, files[i].name.size() + 1, files[i].name + ":") == 0) return &files[i];
  }
  return nullptr;
}

/// A handle, or the loader's words.
std::variant<void*, std::string> open_library(const std::string& folder, const std::string& name,
                                              const std::vector<sandbox::NamedFile>& files, std::size_t depth) {
  std::string error;
  for (std::size_t attempt = 0; attempt <= files.size(); ++attempt) {
    if (void* handle = ::dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    error = last_dl_error();
    const sandbox::NamedFile* neighbour = missing_neighbour(error, files);
    if (!neighbour || depth == 0) break;
    const auto opened = open_library(folder, neighbour->name, files, depth - 1);
    if (const auto* why = std::get_if<std::string>(&opened)) return *why;
  }
  return error;
}

std::string with_remedy(const std::string& error, const std::vector<sandbox::NamedFile>& files) {
  if (missing_neighbour(error, files)) {
    return error + "; it lies beside the subject: link it with -Wl,-soname, or the subject with -Wl,-rpath,'$ORIGIN'";
  }
  if (error.find("cannot open shared object file") != std::string::npos) {
    return error + "; name the library with --with or in the contract's `with`, or link it statically";
  }
  if (error.find("undefined symbol") != std::string::npos) {
    return error + "; link what defines it, or name its library with --with or in the contract's `with`";
  }
  return error;
}

LoadRefusal missing_symbol(const std::string& symbol, const ElfFile& file) {
  const std::vector<std::string> names = file.exported_functions();
  const std::vector<std::string_view> views(names.begin(), names.end());
  LoadRefusal refusal{
      protocol::Cause::missing_symbol,
      "no symbol '" + symbol + "' among the " + std::to_string(names.size()) + " functions that it exports",
      near_words(symbol, views, 4)};
  return refusal;
}

}  // namespace

std::variant<void*, LoadRefusal> load_subject(const std::string& folder, const std::vector<sandbox::NamedFile>& files,
                                              const protocol::Load& wanted) {
  if (void* own = builtin_function(static_cast<protocol::Builtin>(wanted.builtin))) return own;
  const std::string& name = files.front().name;
  const ElfFile file(folder + "/" + name);
  if (!file.problem().empty()) return LoadRefusal{protocol::Cause::not_loadable, name + ": " + file.problem(), {}};
  const auto opened = open_library(folder, name, files, files.size());
  if (const auto* error = std::get_if<std::string>(&opened)) {
    return LoadRefusal{protocol::Cause::not_loadable, without_folder(with_remedy(*error, files), folder), {}};
  }
  const std::string symbol = protocol::text_of(wanted.symbol);
  ::dlerror();
  void* function = ::dlsym(std::get<void*>(opened), symbol.c_str());
  if (!function) return missing_symbol(symbol, file);
  return function;
}

std::unique_ptr<abi::CCall> make_call(void* function, const protocol::Load& wanted) {
  std::vector<CType> types;
  for (std::uint32_t i = 0; i < wanted.count; ++i) types.push_back(static_cast<CType>(wanted.types[i]));
  std::optional<CType> returns;
  if (wanted.return_type != protocol::kNoReturn) returns = static_cast<CType>(wanted.return_type);
  return std::make_unique<abi::CCall>(function, types, returns);
}

}  // namespace assay::worker
