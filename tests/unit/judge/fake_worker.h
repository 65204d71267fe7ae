#pragma once
#include <sys/mman.h>

#include <functional>

#include "core/error.h"
#include "judge/subject.h"

namespace assay::testing {

/// A worker without a process: lent memory is really mapped, and the subject is a function of the register slots.
class FakeWorker : public Worker {
 public:
  using Kernel = std::function<CallOutcome(const Invocation&)>;
  static constexpr std::uint64_t kArena = 1ULL << 36;

  explicit FakeWorker(Kernel kernel) : kernel_(std::move(kernel)) {
    arena_ = mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena_ == MAP_FAILED) throw Error("no arena");
  }
  ~FakeWorker() override { munmap(arena_, kArena); }

  std::variant<Loaded, LoadFailure> load() override {
    return Loaded{reinterpret_cast<std::uintptr_t>(arena_), kArena, 0.0};
  }

  std::optional<Ended> map(std::span<const Mapping> mappings) override {
    for (const Mapping& m : mappings) {
      void* at = reinterpret_cast<void*>(m.address);
      const int flags = m.fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED : MAP_SHARED | MAP_FIXED;
      const int rights = m.fd < 0 ? PROT_NONE : m.writable ? PROT_READ | PROT_WRITE : PROT_READ;
      if (mmap(at, m.bytes, rights, flags, m.fd, 0) == MAP_FAILED) throw Error("can't map");
    }
    return std::nullopt;
  }

  CallOutcome call(const Invocation& invocation, double) override { return kernel_(invocation); }
  std::optional<Ended> keep(std::span<const Registers> slots, std::size_t arguments) override {
    slots_.assign(slots.begin(), slots.end());
    arguments_ = arguments;
    return std::nullopt;
  }
  /// Each call of the burst goes to the same function; what it "wanted" is what it waited for.
  BurstOutcome burst(std::span<const std::uint16_t> order, double) override {
    Finished finished;
    for (const std::uint16_t slot : order) {
      Invocation invocation;
      invocation.count = arguments_;
      invocation.args = slots_.at(slot);
      const CallOutcome outcome = kernel_(invocation);
      if (const auto* ended = std::get_if<Ended>(&outcome)) return *ended;
      finished.values.push_back(std::get<Returned>(outcome).value);
      finished.wall_ns += std::get<Returned>(outcome).wall_ns;
      finished.waited_ns += std::get<Returned>(outcome).wanted_ns.value_or(0);
    }
    finished.told_ns = finished.replied_ns = finished.wall_ns;
    return finished;
  }
  Residue residue(bool full) override {
    Residue now = now_;
    now.full = full;
    return now;
  }
  Attempts attempts() override { return {}; }
  void end() override {}

  Residue now_;

 private:
  Kernel kernel_;
  std::vector<Registers> slots_;
  std::size_t arguments_ = 0;
  void* arena_ = nullptr;
};

inline AuditSubject subject_of(FakeWorker::Kernel kernel, const Contract& contract) {
  return {{"fake.so", "", contract.entry.symbol},
          contract.entry,
          [kernel](sandbox::Surroundings) { return std::make_unique<FakeWorker>(kernel); },
          -1};
}

template <class T>
T* pointer(std::uint64_t slot) {
  return reinterpret_cast<T*>(slot);
}

/// y[i] = x[i] + x[i], one axis N: the smallest contract that has everything a test needs.
inline Contract doubling_contract() {
  Contract contract;
  contract.name = "double";
  contract.axes.push_back({"N", false, 0, 4096, 1, {}});
  Tensor x;
  x.name = "x";
  x.shape = {std::get<Expression>(Expression::parse("N"))};
  x.values = ValueSpec{};
  Tensor y = x;
  y.name = "y";
  y.role = Role::out;
  y.values.reset();
  contract.tensors = {x, y};
  contract.entry.symbol = "twice";
  contract.entry.args = {
      {ArgKind::tensor, "x", CType::pointer}, {ArgKind::tensor, "y", CType::pointer}, {ArgKind::axis, "N", CType::i64}};
  contract.shapes = {{{{"N", 100}}, 1.0}};
  return contract;
}

inline CallOutcome twice(const Invocation& call) {
  const auto* x = pointer<const float>(call.args[0]);
  auto* y = pointer<float>(call.args[1]);
  for (std::uint64_t i = 0; i < call.args[2]; ++i) y[i] = x[i] + x[i];
  return Returned{0, 1000};
}

}  // namespace assay::testing
