#include "verdict/advice.h"

#include <array>

namespace assay {
namespace {

struct Advice {
  std::string_view key;
  std::string_view text;
};

/// Looked up by check first, then by witness.
constexpr std::array<Advice, 39> kAdvice{{
    {"fresh-values",
     "Compute from what the pointers hold at this call; keep no result under an address, shape or call count."},
    {"move-all", "Read and write through the pointers of this call; don't keep addresses from an earlier one."},
    {"move-one", "Compare every pointer before a kept plan or graph is used, or keep none."},
    {"reuse", "An address says nothing about shape or contents: derive both from this call's arguments."},
    {"one-tensor", "Read this tensor at every call, unless the contract declares it static."},
    {"one-element", "Let no sample of the input stand for all of it: a kept result needs every byte compared."},
    {"reshuffle", "Sums, extremes and order-free checksums don't identify an input: don't look results up by them."},
    {"permute", "Don't let the first rows decide for the rest: each row may be of any kind, in any order."},
    {"previous-output", "What the output holds before the call says nothing: write all of it, whatever is there."},
    {"structure", "Sorted, tied, tiny, spiked and zero data are in the domain: skip nothing that counts."},
    {"scale", "Keep the promised precision at every magnitude that the contract's range allows."},
    {"sign", "Take numbers with their signs: start maxima from the data, not from zero."},
    {"special", "Let NaN, infinities, negative zeros and denormals through as the operator does."},
    {"placement",
     "Rely on no more alignment than is promised, and read all of an input before an allowed alias is written."},
    {"poison-pair", "Write every output and scratch element before it is read; don't rely on what memory held."},
    {"repeat", "Reset state that one call leaves for the next; give back what it takes."},
    {"soak", "Bound what is kept and reset what belongs to one call: counters, tables and lists must not fill up."},
    {"pressure", "Share nothing between calls and threads that isn't protected, and wait for every thread."},
    {"disguise", "Compute from the arguments alone, whoever runs the process and wherever."},
    {"exact", "Keep all bits of inputs, products and sums that the promised precision has, and take every term once."},
    {"downgrade",
     "Compute in the promised precision, or promise less: the contract's precision says what callers get."},
    {"probe",
     "Compute each element in floating point of the promised precision: no shared scales, no products left out."},
    {"seed", "Derive all draws from the seed that this call hands over."},
    {"shapes", "Handle tails, tile edges, one and empty: the whole domain of the contract counts."},
    {"time", "Do all of a call's work inside the call, the same work however often and by whom it is made."},
    {"return", "Return the success value for every shape of the domain, and end no process."},
    {"done", "Finish all work before returning: join threads and wait for streams."},
    {"written", "Write every element of every output at every call, also beyond the last full tile."},
    {"guards", "Stay inside the tensors: check tails and vector widths at both ends."},
    {"inputs", "Leave inputs as they are; ask for scratch in the contract if the kernel needs some."},
    {"classes", "Let NaN and infinities through as the operator does, and avoid overflow in between."},
    {"error", "Compute in the precision that the contract promises, over all of the data."},
    {"relation", "Make the result independent of addresses and leftovers: same values, same bits."},
    {"residue", "Give back memory, threads and descriptors that a call takes, or take them once."},
    {"manners", "Restore what the call changes in the process before it returns."},
    {"load", "Link everything the file needs, export the symbol with C linkage, and keep constructors harmless."},
    {"accuracy", "Nothing has to be done: the contract allows it. Wider accumulation would close the gap."},
    {"reference", "Look at the reference or the oracle's binding before judging candidates by them."},
    {"attempt", "A kernel needs no other processes: compute in the one that calls it."},
}};

constexpr std::string_view kGeneral = "Run the replay command and compare with the reference.";

const Advice* find(std::string_view key) {
  for (const Advice& advice : kAdvice) {
    if (advice.key == key) return &advice;
  }
  return nullptr;
}

}  // namespace

std::string_view advice_for(std::string_view witness, std::string_view check) {
  if (const Advice* by_check = find(check)) return by_check->text;
  const Advice* by_witness = find(witness);
  return by_witness ? by_witness->text : kGeneral;
}

}  // namespace assay
