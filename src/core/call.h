#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/axes.h"
#include "core/contract.h"

/// The vocabulary of mutators: what to call and what must hold between calls. Plain data, drawn up before anything
/// runs.
namespace assay {

/// Changes to a tensor's drawn values, applied in order. One struct per kind; numerics/ carries them out.
struct ScaleEdit {
  int exponent = 0;  ///< every element times 2^exponent
  bool operator==(const ScaleEdit&) const = default;
};
struct NegateEdit {
  bool operator==(const NegateEdit&) const = default;
};
/// One element set to `value`; `where` in [0, 1) is its place in row-major order.
struct SetElementEdit {
  double where = 0.0;
  double value = 0.0;
  bool operator==(const SetElementEdit&) const = default;
};
/// The elements permuted at random: same multiset, sum and norm.
struct ReshuffleEdit {
  std::uint64_t key = 0;
  bool operator==(const ReshuffleEdit&) const = default;
};
/// Every float moved by one unit in the last place, up or down at random: measures sensitivity.
struct NudgeEdit {
  std::uint64_t key = 0;
  bool operator==(const NudgeEdit&) const = default;
};
/// Each block of `rows` x `columns` (0: all) of the matrix of last-axis rows is multiplied by 2^e, e drawn for the
/// block from `from` to `to`. Plans with one key draw alike for the same number of the block, `from` above `to`
/// downwards.
struct ScaleBlocksEdit {
  std::int64_t rows = 1, columns = 0;
  int from = 0, to = 0;
  std::uint64_t key = 0;
  bool operator==(const ScaleBlocksEdit&) const = default;
};
/// Last-axis rows from number `first` on are multiplied by 2^exponent.
struct ScaleTailEdit {
  std::int64_t first = 0;
  int exponent = 0;
  bool operator==(const ScaleTailEdit&) const = default;
};
/// A share of the blocks of a ScaleBlocksEdit becomes zero.
struct ZeroBlocksEdit {
  std::int64_t rows = 1, columns = 0;
  double share = 0.5;
  std::uint64_t key = 0;
  bool operator==(const ZeroBlocksEdit&) const = default;
};
/// A share of the elements, at least one, becomes one of `values` each.
struct SprinkleEdit {
  std::vector<double> values;
  double share = 0.0;
  std::uint64_t key = 0;
  bool operator==(const SprinkleEdit&) const = default;
};
/// Every element with the same sign.
struct SignEdit {
  bool negative = false;
  bool operator==(const SignEdit&) const = default;
};
/// Numbers outside of `low` … `high` become the end that is nearer; NaN stays.
struct ClampEdit {
  double low = 0.0, high = 0.0;
  bool operator==(const ClampEdit&) const = default;
};
/// Each last-axis row in order.
struct SortEdit {
  bool descending = false;
  bool operator==(const SortEdit&) const = default;
};
/// Each last-axis row consists of its own first `levels` elements, again and again at random: ties.
struct TieEdit {
  std::int64_t levels = 1;
  std::uint64_t key = 0;
  bool operator==(const TieEdit&) const = default;
};
/// In each last-axis row every second element is minus the one before it: neighbours cancel exactly.
struct CancelEdit {
  bool operator==(const CancelEdit&) const = default;
};
/// Only the diagonal of each matrix of the last two axes stays, the rest is zero.
struct DiagonalEdit {
  bool operator==(const DiagonalEdit&) const = default;
};
/// All last-axis rows are the first `rank` ones, halved some times or not.
struct LowRankEdit {
  std::int64_t rank = 1;
  std::uint64_t key = 0;
  bool operator==(const LowRankEdit&) const = default;
};
/// Slices along the first axis change places; tensors with the same number of them move alike under one key.
struct PermuteEdit {
  std::uint64_t key = 0;
  bool operator==(const PermuteEdit&) const = default;
};
/// A non-decreasing sequence becomes its first value up to `where` (in [0, 1)) and its last one from there: one run of
/// a ragged batch holds everything.
struct OneRunEdit {
  double where = 0.0;
  bool operator==(const OneRunEdit&) const = default;
};
/// Every float keeps `bits` significant bits, the leading one included, and its exponent: to nearest, ties to even, or
/// toward zero.
struct RoundEdit {
  int bits = 0;
  bool toward_zero = false;
  bool operator==(const RoundEdit&) const = default;
};
/// Every element becomes a whole number from `low` to `high`, drawn at random.
struct IntegersEdit {
  std::int64_t low = 0, high = 0;
  std::uint64_t key = 0;
  bool operator==(const IntegersEdit&) const = default;
};
/// Each last-axis row becomes zero but for one element at a random place: 2^exponent (1 + j 2^-bits) with j drawn from
/// [0, 2^bits), of either sign where `both_signs`.
struct OneHotEdit {
  int bits = 0, exponent = 0;
  bool both_signs = false;
  std::uint64_t key = 0;
  bool operator==(const OneHotEdit&) const = default;
};
/// The last `share` of each last-axis row, at least one element, becomes zero.
struct ZeroTailEdit {
  double share = 0.0;
  bool operator==(const ZeroTailEdit&) const = default;
};
/// Numbers below the smallest normal one of the type become zeros of their sign.
struct FlushEdit {
  bool operator==(const FlushEdit&) const = default;
};
using ValueEdit =
    std::variant<ScaleEdit, NegateEdit, SetElementEdit, ReshuffleEdit, NudgeEdit, ScaleBlocksEdit, ScaleTailEdit,
                 ZeroBlocksEdit, SprinkleEdit, SignEdit, ClampEdit, SortEdit, TieEdit, CancelEdit, DiagonalEdit,
                 LowRankEdit, PermuteEdit, OneRunEdit, RoundEdit, IntegersEdit, OneHotEdit, ZeroTailEdit, FlushEdit>;

/// Contents of one tensor: equal plans at equal shapes mean equal bytes.
struct TensorPlan {
  std::uint64_t draw = 0;  ///< identity of the random draw
  std::vector<ValueEdit> edits;
  bool operator==(const TensorPlan&) const = default;
};

/// What outputs, scratch, workspace and gaps hold before a call.
enum class Poison : std::uint8_t { quiet_nan, small_finite, other_answer };
std::string_view name_of(Poison poison);

/// Where a tensor lies. Within a script the same label is the same address, for whichever tensor carries it: a label
/// that moves from one tensor to another is a recycled address. `kHome` is the tensor's own place in the session.
using Place = int;
inline constexpr Place kHome = 0;

/// What else the worker does while a call runs.
enum class Stress : std::uint8_t {
  none,
  crowded,  ///< as many busy threads as there are processors
  cramped,  ///< all threads that the call starts share one processor
};

/// One invocation.
struct CallPlan {
  AxisValues axes;
  std::vector<TensorPlan> values;   ///< one per Contract::tensors; entries of outputs and scratch are unused
  std::vector<Place> places;        ///< one per Contract::tensors
  std::vector<std::size_t> params;  ///< which declared value of each Contract::params
  /// Distance of each tensor from where its place begins, in units of the promised alignment; empty: as the place has
  /// it.
  std::vector<int> shifts;
  Poison poison = Poison::quiet_nan;
  bool typical =
      true;  ///< values as the contract draws them: the oracle alone decides. Else the reference must cope too
  std::uint32_t repeats = 1;  ///< made up to that often in a row, some milliseconds at most; the last one is looked at
  bool beside = false;        ///< made at the same time as the call before it, by another thread on other buffers
  Stress stress = Stress::none;
  /// Values of which sums of products are exact in any order: all are multiples of 2^-granule. Then equality decides.
  bool exact = false;
  int granule = 0;
  /// The outputs are searched for the traces of a lower precision than promised.
  bool traced = false;
};

/// The same call with nothing chosen about it: no edits, home places.
CallPlan plain(CallPlan call);
/// Whether `plain` would change it.
bool is_plain(const CallPlan& call);

enum class RelationKind : std::uint8_t {
  same_bits,     ///< every output equal bit by bit (only where the contract or the reference is deterministic)
  other_draws,   ///< an output isn't the same where the reference's differs in many elements
  power_of_two,  ///< elements whose truths differ by a power of two, 2^0 included, differ by just that
};

/// What must hold between the outputs of two calls of a script.
struct Relation {
  RelationKind kind = RelationKind::same_bits;
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Calls that belong together, in order. Others may run between scripts, never inside one.
struct Script {
  std::string check;                         ///< id of the check that drew it up; filled in by the context
  Lifetime needs = Lifetime::fixed_address;  ///< the weakest lifetime under which a caller may do this
  std::vector<CallPlan> calls;
  std::vector<Relation> relations;
  std::string story;      ///< what changes, for the finding: "x moves, the other tensors stay"
  std::string suspect;    ///< the tensor that the script singles out; empty: none
  std::string threat;     ///< id of THREATS.md, where it is not the check's first; empty: it is
  std::string serves;     ///< another check that one of its calls does the work of; empty: none
  bool recycles = false;  ///< own places keep the address of their first byte, whatever size lies there
  bool soak = false;      ///< few calls many times: what is left behind must not grow from its middle to its end
  bool apart = false;     ///< runs in a worker of its own, before which nothing was called
  bool disguise = false;  ///< runs twice, each time in a worker of its own: the second one in other surroundings, where
                          ///< every output must have the same bits
};

}  // namespace assay
