#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/check.h"
#include "fake_worker.h"
#include "judge/session.h"

namespace assay::testing {

/// One session over a kernel, with a plan for a call of N elements.
struct Setting {
  explicit Setting(FakeWorker::Kernel kernel, Lifetime lifetime = Lifetime::serving, std::uint32_t secret = 1,
                   std::uint64_t decoy_limit_bytes = 1 << 20) {
    shape = std::get<ConcreteShape>(concretise(contract, {{"N", 100}}));
    SessionOptions options;
    options.lifetime = lifetime;
    options.decoy_limit_bytes = decoy_limit_bytes;
    options.secret.key = {secret, 2};
    auto fake = std::make_unique<FakeWorker>(std::move(kernel));
    worker = fake.get();
    const Loaded loaded = std::get<Loaded>(fake->load());
    session = std::make_unique<Session>(contract, contract.entry, std::move(fake), loaded, values,
                                        std::vector<ConcreteShape>{shape}, options);
    session->begin_script();
  }
  CallPlan call(std::uint64_t draw) const {
    CallPlan plan;
    plan.axes = shape.axes;
    plan.values = {{draw, {}}, {}};
    plan.places = {kHome, kHome};
    return plan;
  }

  Contract contract = doubling_contract();
  Generator generator{Seed{}};
  Values values{contract, generator, {}};
  ConcreteShape shape;
  FakeWorker* worker = nullptr;
  std::unique_ptr<Session> session;
};

}  // namespace assay::testing
