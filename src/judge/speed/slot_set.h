#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/seed.h"
#include "device/lent_memory.h"
#include "judge/address_space.h"
#include "judge/session.h"
#include "judge/staged.h"

namespace assay {

using OutputDigest = std::array<std::uint64_t, 2>;

/// Buffer sets of one shape, lent to one worker for bursts.
///
/// Theory of operation. All sets lie in two lent memories: what the subject may only read, and what it may write. Each
/// set has places of its own, a static tensor one for all of them. Where things lie inside both memories follows from
/// `layout` alone, so that two subjects get the same alignments. What may be written is filled from an image of poison;
/// afterwards whatever isn't an output of a called slot must still equal the image.
class SlotSet {
 public:
  /// `slots` sets; `poison` keys the image.
  SlotSet(const Contract& contract, const ConcreteShape& shape, std::size_t slots, std::uint64_t layout,
          const StreamKey& poison);

  std::size_t count() const { return slots_.size(); }
  /// What may not change around the tensors of one slot.
  std::uint64_t zone_bytes() const;

  /// Gives both memories addresses in a worker; they stay when the set is dropped, so no address is used twice.
  std::vector<Mapping> place(AddressSpace& addresses);
  /// The arguments of every slot, with the scalars of `plan`.
  std::vector<Registers> registers(const Entry& entry, const CallPlan& plan, Random& random) const;

  /// Inputs of a slot, by buffer.
  void write(std::size_t slot, const std::vector<std::shared_ptr<const Bytes>>& inputs);
  /// Outputs of a slot that was called get their poison back.
  void restore(std::size_t slot);
  /// Drops what the slot's call touches from all caches.
  void flush(std::size_t slot) const;

  /// XXH3-128 of what a called slot's outputs hold and of the returned register, where it means something.
  OutputDigest digest(std::size_t slot, const Entry& entry, std::uint64_t value) const;
  /// Outputs of a slot that was called, as facts for the witnesses. `value` is the returned register.
  CallFacts facts(std::size_t slot, const Entry& entry, std::uint64_t value) const;
  /// Changes where nothing may have changed: slots that weren't called, and what lies between tensors.
  std::vector<Damage> damage(const std::vector<bool>& called) const;

 private:
  struct Memory {
    std::shared_ptr<LentMemory> lent;
    std::uint64_t bytes = 0;
  };
  Memory& memory_of(const Buffer& buffer) { return buffer.lending() == Lending::writable ? writable_ : readable_; }
  std::byte* data_of(const Staged& staged) const;
  void lay_out(Random& random);
  void house(Staged& staged, Random& random);

  const Contract& contract_;
  const ConcreteShape& shape_;
  std::vector<Buffer> buffers_;
  Memory readable_, writable_;
  std::vector<std::vector<Staged>> slots_;  ///< by slot and buffer
  std::vector<std::byte> image_;            ///< of all that may be written
  std::vector<PoisonSpec> poison_;          ///< by slot
  StreamKey key_;
};

}  // namespace assay
