#include "core/check.h"

/// Theory: a kernel that computes otherwise in service than under test has to tell the two apart by something that is
/// no argument: the names of processes and folders, the environment, the user, the machine. The same calls are made in
/// two fresh processes between which just these differ; the second one looks like production.
namespace assay {
namespace {

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;  // what is looked at has nothing to do with lifetimes
  Script script;
  script.disguise = true;
  script.story = "the same calls in two processes with different surroundings";
  for (const ConcreteShape* shape : context.pick(1 + context.effort())) {
    for (int i = 0; i < 3; ++i) script.calls.push_back(context.fresh_call(*shape));
  }
  context.add(script);
}

const bool kRegistered = Registry<Check>::add(
    {"disguise", "C", "Name, user, folder and environment of the process don't change a result.", "C7", plan,
     "fresh-values one-tensor move-all move-one poison-pair previous-output reuse one-element reshuffle"});

}  // namespace
}  // namespace assay
