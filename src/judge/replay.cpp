#include "judge/replay.h"

#include <algorithm>

#include "core/error.h"
#include "judge/runner.h"

namespace assay {
namespace {

constexpr int kTries = 3, kStatisticalTries = 10;
constexpr double kSeconds = 600.0;

[[noreturn]] void unfit(const std::string& why) {
  throw Error("the finding's calls don't fit the contract: " + why, Exit::kUsage);
}

bool takes_luck(const Script& script) {
  const auto stressed = [](const CallPlan& call) { return call.beside || call.stress != Stress::none; };
  return script.apart || std::any_of(script.calls.begin(), script.calls.end(), stressed);
}

void require_fit(const Contract& contract, const CallPlan& call) {
  const std::size_t tensors = contract.tensors.size();
  const bool sizes = call.values.size() == tensors && call.places.size() == tensors &&
                     (call.shifts.empty() || call.shifts.size() == tensors) &&
                     call.params.size() == contract.params.size();
  if (!sizes) unfit("other tensors or params");
  for (std::size_t i = 0; i < call.params.size(); ++i) {
    if (call.params[i] >= contract.params[i].values.size()) unfit("param " + contract.params[i].name);
  }
}

std::vector<ConcreteShape> shapes_of(const AuditRequest& request, const Script& script) {
  std::vector<ConcreteShape> shapes;
  for (const CallPlan& call : script.calls) {
    require_fit(request.contract, call);
    const auto same = [&](const ConcreteShape& shape) { return shape.axes == call.axes; };
    if (std::any_of(shapes.begin(), shapes.end(), same)) continue;
    auto shape = concretise(request.contract, call.axes);
    if (const auto* why = std::get_if<std::string>(&shape)) unfit(to_string(call.axes) + ": " + *why);
    shapes.push_back(std::get<ConcreteShape>(std::move(shape)));
    if (shapes.back().total_bytes() > request.memory_bytes) unfit("too large for this machine");
  }
  return shapes;
}

}  // namespace

ReplayCount replay(const AuditRequest& request, const Case& made, const std::string& witness) {
  std::vector<ConcreteShape> shapes = shapes_of(request, made.script);
  const Seed seed = request.seed.value();
  const Generator generator(seed, request.contract.folder);
  Values values(request.contract, generator, derive_key(seed, 0, "gaps"));
  TruthSource truths(request.contract, request.reference ? &*request.reference : nullptr, values, shapes,
                     derive_key(seed, 0, "reference"));
  Ledger ledger;
  Findings findings;
  Patience patience(kSeconds);
  Bench bench{request.contract, request.candidate, shapes, values, truths, ledger, findings, patience};
  bench.decoy_limit_bytes = static_cast<std::uint64_t>(request.memory_bytes / 8);
  ReplayCount count;
  count.statistical = takes_luck(made.script);
  const int most = count.statistical ? kStatisticalTries : kTries;
  while (count.tries < most && (count.statistical || count.failures == 0)) {
    const StreamKey secret = derive_key(seed, static_cast<std::uint64_t>(++count.tries), "replay");
    for (const Observation& seen : Runner(bench, made.lifetime, true, secret).alone(made.script)) {
      if (seen.witness != witness) continue;
      count.message = seen.message;
      ++count.failures;
      break;
    }
  }
  return count;
}

}  // namespace assay
