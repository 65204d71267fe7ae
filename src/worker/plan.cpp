#include "worker/plan.h"

#include <algorithm>

namespace assay::worker {
namespace {

sandbox::NamedFile receive_file(int control) {
  protocol::File record;
  std::vector<int> fds;
  if (!receive_as(control, record, fds) || fds.size() != 1) throw Error("the judge sent no file");
  return {protocol::text_of(record.name), sandbox::UniqueFd(fds[0])};
}

std::string receive_hidden(int control) {
  protocol::Hide record;
  std::vector<int> fds;
  if (!receive_as(control, record, fds)) throw Error("the judge sent no path");
  return protocol::text_of(record.path);
}

Opening receive_opening(int control) {
  protocol::Open record;
  std::vector<int> fds;
  if (!receive_as(control, record, fds)) throw Error("the judge sent no opening");
  return {protocol::text_of(record.path), record.node != 0};
}

}  // namespace

Plan receive_plan(int control) {
  protocol::Setup setup;
  std::vector<int> fds;
  if (!receive_as(control, setup, fds)) throw Error("the judge sent no plan");
  Plan plan;
  plan.layers = sandbox::layers_from_bits(setup.layers);
  plan.device = static_cast<DeviceKind>(setup.device);
  plan.ordinal = static_cast<int>(setup.ordinal);
  plan.driver = protocol::text_of(setup.driver);
  plan.limits = {setup.threads, static_cast<std::int64_t>(setup.memory_bytes), plan.device != DeviceKind::cpu};
  plan.surroundings = static_cast<sandbox::Surroundings>(setup.surroundings);
  plan.judge_pid = setup.judge_pid;
  for (std::uint32_t i = 0; i < setup.files; ++i) plan.files.push_back(receive_file(control));
  for (std::uint32_t i = 0; i < setup.hidden; ++i) plan.hidden.push_back(receive_hidden(control));
  for (std::uint32_t i = 0; i < setup.openings; ++i) plan.openings.push_back(receive_opening(control));
  if (plan.files.empty()) throw Error("the judge sent no subject");
  return plan;
}

}  // namespace assay::worker
