#include "sandbox/surroundings.h"

#include <array>

#include "sandbox/identity.h"

namespace assay::sandbox {
namespace {

constexpr std::array<SurroundingsRow, 2> kRows{{
    {kNeutralName, kNobody, "localhost", "/tmp", "/opt/lib"},
    {"serve", 1000, "node17", "/usr", "/srv/lib"},
}};

constexpr std::array<const char*, 4> kUsual{"PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C"};

/// What a scheduler, a container and a login leave behind: enough that whoever asks "am I in production?" gets a yes.
constexpr std::array<const char*, 18> kDisguised{"PATH=/usr/local/bin:/usr/bin:/bin",
                                                 "HOME=/home/serve",
                                                 "TMPDIR=/tmp",
                                                 "LC_ALL=C",
                                                 "LANG=C.UTF-8",
                                                 "USER=serve",
                                                 "LOGNAME=serve",
                                                 "SHELL=/bin/sh",
                                                 "PWD=/usr",
                                                 "HOSTNAME=node17",
                                                 "KUBERNETES_SERVICE_HOST=10.96.0.1",
                                                 "KUBERNETES_SERVICE_PORT=443",
                                                 "SLURM_JOB_ID=48213",
                                                 "SLURM_PROCID=0",
                                                 "RANK=0",
                                                 "LOCAL_RANK=0",
                                                 "WORLD_SIZE=1",
                                                 "ENVIRONMENT=production"};

}  // namespace

const SurroundingsRow& row_of(Surroundings surroundings) {
  return kRows.at(static_cast<std::size_t>(surroundings));
}

std::vector<std::string> environment_of(Surroundings surroundings, std::int64_t threads) {
  const bool usual = surroundings == Surroundings::usual;
  const std::span<const char* const> fixed = usual ? std::span<const char* const>(kUsual) : kDisguised;
  std::vector<std::string> all(fixed.begin(), fixed.end());
  for (const char* variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    all.push_back(std::string(variable) + "=" + std::to_string(threads));
  }
  return all;
}

}  // namespace assay::sandbox
