#include "judge/subject.h"

#include <filesystem>

#include "core/error.h"
#include "judge/elf_image.h"
#include "judge/mapped_file.h"
#include "judge/worker_process.h"
#include "sandbox/image.h"

namespace assay {
namespace {

struct Copies {
  std::vector<sandbox::UniqueFd> files;
  std::vector<LentFile> lent;

  void add(const std::string& path, const std::string& what) {
    std::error_code ignored;
    if (path.empty())
      throw Error(
          "no file is given for the " + what + ": give --" + what + " LIB, or [" + what + "] path in the contract",
          Exit::kUsage);
    if (!std::filesystem::exists(path, ignored)) throw Error(what + " " + path + ": no such file", Exit::kUsage);
    if (!std::filesystem::is_regular_file(path, ignored)) throw Error(what + " " + path + ": not a file", Exit::kUsage);
    files.push_back(sandbox::sealed_copy(path, false));
    lent.push_back({std::filesystem::path(path).filename().string(), files.back().get()});
  }
};

/// Says before anything runs what a driver would say in a worker, as an error of the first launch.
void require_code_for(const Device& device, int file, const std::string& name) {
  const MappedFile mapped(file);
  const std::string why = device.unfit_code(read_elf_image(mapped.bytes()).data);
  if (!why.empty()) throw Error(name + ": " + why, Exit::kUsage);
}

}  // namespace

AuditSubject builtin_subject(protocol::Builtin which, const Entry& entry, std::int64_t threads,
                             const Machine& machine) {
  const auto start = [which, entry, threads, &machine](sandbox::Surroundings surroundings) {
    WorkerSpec worker;
    worker.image = machine.worker_image.get();
    worker.files = {{"worker", machine.worker_image.get()}};  // a worker has a file beside it; this one opens none
    worker.entry = entry;
    worker.builtin = which;
    worker.threads = threads;
    worker.surroundings = surroundings;
    worker.hidden = machine.hidden;
    worker.layers = machine.diagnosis.layers;
    worker.device = machine.device.get();
    return std::make_unique<WorkerProcess>(std::move(worker));
  };
  return {{"", "", entry.symbol}, entry, start, -1, machine.device};
}

AuditSubject prepare_subject(const SubjectSpec& spec, const std::string& what, std::int64_t threads,
                             const Machine& machine) {
  auto copies = std::make_shared<Copies>();
  copies->add(spec.path, what);
  for (const std::string& with : spec.with) copies->add(with, "file beside the " + what + ",");
  if (machine.device) require_code_for(*machine.device, copies->files.front().get(), what + " " + spec.path);
  const auto start = [copies, entry = spec.entry, threads, &machine](sandbox::Surroundings surroundings) {
    WorkerSpec worker;
    worker.image = machine.worker_image.get();
    worker.files = copies->lent;
    worker.entry = entry;
    worker.threads = threads;
    worker.surroundings = surroundings;
    worker.hidden = machine.hidden;
    worker.layers = machine.diagnosis.layers;
    worker.device = machine.device.get();
    return std::make_unique<WorkerProcess>(std::move(worker));
  };
  return {{spec.path, "", spec.entry.symbol}, spec.entry, start, copies->files.front().get(), machine.device};
}

}  // namespace assay
