#include "reports/explain.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"
#include "core/threats.h"
#include "reports/coverage.h"

namespace assay::reports {
namespace {

constexpr std::array<Explanation, 28> kTopics{{
    {"return", TopicKind::witness,
     "Looks at the value that each call returns and at how the worker lives on: an exit, a signal, a missed deadline "
     "or a "
     "malformed reply is taken as a fact about the subject.",
     "A kernel that refuses, crashes or hangs on a case inside the domain does the same to its caller in service. A "
     "process "
     "that exits with 0 in the middle of a call has not succeeded.",
     "Accept every shape and value that the contract promises, or narrow the contract's domain. Never call exit. For a "
     "crash, replay the finding under a debugger: the shape and the call are in it."},
    {"done", TopicKind::witness,
     "Reads the outputs right after the reply, with the worker stopped: what isn't there then doesn't count.",
     "A caller uses the result as soon as the call returns. Work that a thread finishes later is a race in service, "
     "and "
     "time that the measurement didn't see.",
     "Join or synchronise all threads before returning."},
    {"written", TopicKind::witness,
     "Fills outputs with poison before every call and looks for elements that still hold it afterwards. The poison "
     "changes "
     "from call to call: NaN patterns, small finite values, right answers of other calls.",
     "An element that isn't written shows whatever lay there before: an earlier result, another request's data, zeros "
     "that "
     "happen to be right in a test.",
     "Write every element of every output on every call, also at the ragged end of the last tile and at large shapes. "
     "A "
     "result that is cached must still be copied out."},
    {"guards", TopicKind::witness,
     "Surrounds every tensor with unmapped pages and fills what is left of its pages with random bytes that are "
     "compared "
     "after each call. Tensors lie flush against the end or the start by turns.",
     "A write outside its tensor corrupts a neighbour; a read outside works until the neighbour is unmapped.",
     "Check the bounds of the last vector, tile and row. Don't round sizes up to the vector width, and don't rely on "
     "more "
     "alignment than memory.align promises."},
    {"inputs", TopicKind::witness,
     "Compares inputs and static tensors with what was written to them, byte by byte, after each call.",
     "The caller still owns them: weights would rot, and a second run on the same buffers would give another result.",
     "Use scratch, or workspace that the contract grants, instead of the inputs. If the operator works in place, the "
     "contract must say inout or list the pair in memory.aliasing."},
    {"classes", TopicKind::witness,
     "Compares where NaN, infinities and their signs stand with where the truth has them, before any number is "
     "compared.",
     "A NaN that is swallowed hides a fault upstream; one that is invented poisons all that follows.",
     "Guard against overflow inside (subtract the maximum, widen the accumulator) and let NaN of an input through. If "
     "such "
     "values can't occur, the contract may say special_values = \"undefined\"."},
    {"error", TopicKind::witness,
     "Compares every element with the truth in double precision, scaled by the condition of that element, against a "
     "limit "
     "that is derived from the contract's precision; without an oracle, against the frozen reference.",
     "A wrong index, a dropped tail or a quietly lowered precision shows here and nowhere else.",
     "Look at the first wrong index and at expected and got. One region wrong: indexing or a stale cache. All slightly "
     "wrong: precision of operands or accumulator is below what the contract promises."},
    {"relation", TopicKind::witness,
     "Compares the outputs of two calls that must be equal bit by bit, where the contract or the reference is "
     "deterministic.",
     "Results that depend on addresses or on old contents of a buffer can't be reproduced when something goes wrong.",
     "Don't branch on addresses beyond alignment, don't read what wasn't written, fix the order of sums. If the kernel "
     "may "
     "differ from run to run, the contract says deterministic = false."},
    {"residue", TopicKind::witness,
     "Counts threads, children, open descriptors, mappings and memory that are left after a call, and tells set-up at "
     "the "
     "first call from growth.",
     "A service makes millions of calls: what leaks per call ends it. A child or a thread left running steals time "
     "from "
     "others and may finish work after the clock stopped.",
     "Release per call what is taken per call. A pool of at most concurrency.threads idle threads may stay. "
     "memory.extra "
     "says how much may be held."},
    {"manners", TopicKind::witness,
     "Compares the state that a process shares before and after: floating-point control and rounding, signal handlers, "
     "working directory, environment, limits, affinity, priority; and lists system calls that the sandbox refused.",
     "A kernel that sets flush-to-zero or a signal handler changes the results and the behaviour of all other code in "
     "the "
     "caller's process.",
     "Restore what you change, on every path. Don't fork, don't exec, don't open the network. Compilers set "
     "flush-to-zero "
     "at load with -ffast-math: link without it."},
    {"time", TopicKind::witness,
     "Times bursts of calls with the judge's own clock, from the order to the stopped worker, beside a baseline and a "
     "subject that does nothing. Timed calls are checked calls like all others; single calls, shorter bursts and the "
     "worker's own clock are held against each other.",
     "A clock in the hands of the accused proves nothing, and a kernel that is right when checked and fast when timed "
     "is "
     "neither.",
     "Do the work of a call inside the call: the same work however often, how soon after another and by whom it is "
     "made, "
     "on the threads that the contract allows."},
    {"load", TopicKind::witness,
     "Loads a private copy of the subject in the sandbox and waits for its constructors to come to an end.",
     "A library that needs files, symbols or rights which it doesn't get here may not load in production either, and a "
     "constructor that hangs or exits takes its process with it.",
     "Link what you call, keep constructors short, and name files that must lie beside the library in the contract's "
     "'with' "
     "or with --with."},
    {"attempt", TopicKind::witness,
     "Lists the system calls that the sandbox refused: new processes, tracing, mounting and the like.",
     "A kernel has no use for them. Whoever tries them works elsewhere, looks for answers or tampers with the "
     "measurement.",
     "Remove the call. If a library makes it at start, configure that library not to, or link another."},
    {"accuracy", TopicKind::witness,
     "Compares the size of the candidate's errors with the reference's, over all calls with typical values.",
     "A result that is within the contract but worse than today's may still be felt further down: the owner should "
     "know.",
     "Widen the accumulator, change the order of sums, or accept the loss: alone it never fails a candidate."},
    {"reference", TopicKind::witness,
     "Holds the reference against its own oracle, with the same limits as the candidate.",
     "A reference that is wrong can't decide about others, and an honest candidate would be accused of being right.",
     "Check the oracle's bindings and the reference's options in the contract; then correct whichever is wrong."},
    {"fresh-values", TopicKind::check, "Calls again with new values behind the same pointers.",
     "Every caller that reuses its buffers does this. A result kept under the address of its input is then "
     "yesterday's.",
     "Don't key a cache on pointers, on sizes or on a few sampled values. What depends on a tensor's contents must be "
     "computed again, unless the contract calls the tensor static."},
    {"move-all", TopicKind::check, "Makes the same call with all tensors at new addresses; results must be the same.",
     "Allocators hand out other addresses all the time. A plan or graph with addresses baked in works on dead memory.",
     "Take all addresses from the arguments of this call. A captured plan must be updated when they change."},
    {"move-one", TopicKind::check,
     "Moves one tensor at a time to a new address and poisons its old place; the others stay.",
     "A fast path that compares one pointer of several and then trusts the rest works on a buffer that the caller has "
     "given back.",
     "Compare every pointer that a cached plan holds, or hold none."},
    {"reuse", TopicKind::check,
     "Recycles the same addresses for other shapes, other tensors and other contents, integers too, with calls "
     "interleaved.",
     "This is what a serving engine with a memory pool does. A cache keyed on an address alone mixes up requests.",
     "Key what you keep on contents, or have the caller pass a plan explicitly. For metadata such as offsets: read "
     "them "
     "again on every call."},
    {"one-tensor", TopicKind::check,
     "Changes the values of one tensor or scalar alone, index and metadata tensors included.",
     "A tensor that is ignored (a bias that is zero in the tests) or cached (weights transposed once) gives wrong "
     "results "
     "as soon as it changes.",
     "Use every argument on every call. A tensor that the caller never changes may be declared static in the "
     "contract."},
    {"poison-pair", TopicKind::check,
     "Makes the same call twice with different old contents of outputs, scratch and workspace; results must be the "
     "same.",
     "Memory that was never written is read: right on zeroed pages in a test, wrong in a process that has run for a "
     "day.",
     "Initialise accumulators and workspace, and don't add to an output that the contract doesn't call inout."},
    {"repeat", TopicKind::check,
     "Makes the same call again and again: results must stay the same, and what the process holds must not grow.",
     "A leak per call ends a service; state that is carried over makes the thousandth result differ from the first.",
     "Release what each call takes, reset counters and accumulators at the start of a call, and join threads."},
    {"probe", TopicKind::check,
     "Makes one element large, or scales a whole tensor by a power of two, and compares with the call before: results "
     "that don't depend on the element keep their bits, others are scaled by just that power of two.",
     "Floating point has these relations whatever the tolerance; fixed point, blocks that share a scale, and products "
     "left out because they look small break them.",
     "Compute every element in the promised floating-point format, and let no threshold or shared scale decide what "
     "counts."},
    {"seed", TopicKind::check,
     "Makes calls that differ in nothing but the scalar that the oracle takes for the seed; results must not be equal.",
     "A generator that is fixed gives every request the same mask and every sample the same draw: training and "
     "sampling "
     "go wrong though each call looks random.",
     "Derive all draws from the seed that the call hands over. A contract names it with bind = { seed = … } under "
     "[oracle]."},
    {"shapes", TopicKind::check,
     "Calls every production shape and edges of the domain: 0, 1, primes, one beside a tile, the largest that fit.",
     "Kernels are tuned on a few shapes; ragged batches bring all others.",
     "Handle remainders after the last full tile and empty axes. If a shape can't be served, the contract's domain "
     "must "
     "exclude it (min, multiple_of, values, constraints)."},
    {"soak", TopicKind::check,
     "Makes a few calls of several shapes thousands of times in one process, some of them many times in a row before "
     "the "
     "result is looked at, and reads memory, descriptors and threads at equal distances over the second half.",
     "A counter that overflows, a table that fills up and a list that grows by a node a call pass every short test and "
     "end a service after a week.",
     "Reset at the start of a call what belongs to it; bound what is kept, and reach the bound soon: a cache that is "
     "full "
     "after a few thousand calls is no leak. Give back per call what is taken per call."},
    {"pressure", TopicKind::check,
     "Calls from two threads at once, each with tensors of its own (where the contract says reentrant), and makes the "
     "same call again while busy threads crowd the processors or all threads share one.",
     "Static scratch is right until two requests overlap, and a thread that isn't waited for is in time until the "
     "machine "
     "is busy.",
     "Keep scratch on the stack, per thread or in the workspace; join threads, and order what they share with atomics "
     "or "
     "locks. Where bits may change with the order of sums, don't promise deterministic = true."},
    {"disguise", TopicKind::check,
     "Makes the same calls in a second process that has another user, name, host, folder and environment, as "
     "production "
     "has them, and compares results.",
     "A kernel that is exact where it is tested and fast where it is used was never tested.",
     "Take nothing but the arguments into account. What a library reads from the environment (threads, tuning) may "
     "change "
     "times, not results."},
}};

std::string_view name_of(TopicKind kind) {
  return kind == TopicKind::witness ? "witness" : "check";
}

/// Why a family of threats matters, and what keeps an honest kernel out of it.
struct Family {
  char letter;
  std::string_view matters;
  std::string_view fix;
};

constexpr std::array<Family, 7> kFamilies{{
    {'A',
     "A result that was right once is given again: the first caller with other values behind the same pointers gets "
     "somebody else's answer.",
     "Compute from what the arguments hold at this call. What may be kept must be declared: static tensors, a weaker "
     "lifetime, a workspace that the caller owns."},
    {'B', "The output looks right in a test whose inputs or leftovers are kind, and isn't computed.",
     "Write every element of every output from the inputs of this call, and touch nothing else."},
    {'C', "The test and the service differ in something, and the kernel tells them apart by it.",
     "Handle the whole domain of the contract the same way; narrow the domain where production is narrower."},
    {'D', "Precision is given up that the contract promises, and the error shows only where conditioning is bad.",
     "Compute and accumulate in the promised precision, or have the contract promise less."},
    {'E', "The time that was measured isn't the time that the caller waits.",
     "Finish all work before the call returns, in the process and the thread that it was called in."},
    {'F', "It works alone, once and on an idle machine; a service is none of these.",
     "Give back what a call takes, restore what it changes, share nothing that isn't protected, and use no more "
     "threads "
     "than the contract allows."},
    {'G', "What was judged isn't what is deployed, or the judge was worked on instead of the kernel.",
     "A kernel needs no files, no network and no other programs: link in what it uses."},
}};

constexpr std::string_view strength_text(char strength) {
  if (strength == 'S') return "a deterministic test decides";
  return strength == 'M' ? "statistical, or a matter of budget" : "a hint only";
}

std::string proof_text(const Coverage& coverage) {
  if (coverage.guilty == nullptr) return coverage.why_not;
  std::string text = "fixtures/cheats/" + std::string(coverage.guilty->fixture) + " is convicted";
  if (coverage.honest) text += ", fixtures/honest/" + std::string(coverage.honest->fixture) + " is acquitted";
  return text;
}

std::string explain_threat(const Threat& threat, const ConsoleStyle& style) {
  const Coverage coverage = coverage_of(threat);
  const auto family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                   [&](const Family& each) { return each.letter == threat.id.front(); });
  Page page(style);
  page.line(std::string(threat.id) + " " + std::string(threat.name) + " (threat; " +
                std::string(strength_text(threat.strength)) + ")",
            Tone::strong);
  page.field("does", threat.mechanism);
  page.field("matters", family->matters);
  page.field("seen by", coverage.seen_by);
  page.field("proof", proof_text(coverage));
  page.field("fix", family->fix);
  return page.text();
}

const Explanation& find(std::string_view id) {
  const auto topic =
      std::find_if(kTopics.begin(), kTopics.end(), [&](const Explanation& each) { return each.id == id; });
  if (topic != kTopics.end()) return *topic;
  std::vector<std::string_view> ids;
  std::string list;
  for (const Explanation& each : kTopics) {
    ids.push_back(each.id);
    list += (list.empty() ? "" : ", ") + std::string(each.id);
  }
  for (const Threat& threat : threats()) ids.push_back(threat.id);
  throw Error("nothing known about '" + std::string(id) + "'" + did_you_mean(id, ids) + " (there are: " + list +
                  ", and the threats of 'assay checks --threats')",
              Exit::kUsage);
}

}  // namespace

std::span<const Explanation> explanations() {
  return kTopics;
}

std::string explain(std::string_view id, const ConsoleStyle& style) {
  if (const Threat* threat = find_threat(id)) return explain_threat(*threat, style);
  const Explanation& topic = find(id);
  Page page(style);
  page.line(std::string(topic.id) + " (" + std::string(name_of(topic.kind)) + ")", Tone::strong);
  page.field("does", topic.does);
  page.field("matters", topic.matters);
  page.field("fix", topic.fix);
  return page.text();
}

}  // namespace assay::reports
