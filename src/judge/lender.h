#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/call.h"
#include "device/device.h"
#include "judge/address_space.h"
#include "judge/layout.h"
#include "judge/worker.h"

namespace assay {

/// Which of the two sets of homes a tensor lies in. A call uses one set, the other is the decoy.
using Set = int;
inline constexpr int kSets = 2;

/// A tensor's place for one call: the address that the worker gets, and the memory behind it.
struct Lodging {
  std::uintptr_t address = 0;
  std::uint64_t offset = 0;  ///< of the tensor in its mapping
  std::uint64_t bytes = 0;   ///< of the tensor
  std::shared_ptr<DeviceMemory> memory;
};

/// Lends memory to one worker: decides where each tensor lies, keeps the homes, recycles ranges and memory, and says
/// which mappings have to change before the next call.
class Lender {
 public:
  /// `capacity[b]`: the most bytes that buffer b ever has in this session. `pinned[b]`: its addresses are never given
  /// to another tensor. `align` as the contract promises it.
  Lender(const Device& device, const Loaded& worker, std::vector<std::uint64_t> capacity, std::vector<bool> pinned,
         std::uint64_t align, std::uint64_t key);

  /// Where buffer `buffer` of `bytes` lies at `place`; with a `shift`, that many times the alignment (at most
  /// a page) from where the place begins. The same arguments give the same address until `end_script`.
  Lodging lodge(Set set, std::size_t buffer, Place place, std::uint64_t bytes, Lending lending,
                std::optional<int> shift = std::nullopt);

  /// Everything that is mapped now or will be once `take_changes` is carried out.
  std::vector<std::shared_ptr<DeviceMemory>> tenants() const;
  /// Changes since the last time, unmaps first.
  std::vector<Mapping> take_changes();
  /// `keep_starts`: whatever lies at an own place of the script starts at the same address.
  void begin_script(bool keep_starts) { keep_starts_ = keep_starts; }
  /// Forgets the script's own places; their ranges and memory are recycled.
  void end_script();

 private:
  struct Site {
    Range range;
    Flush flush;  ///< of the first tensor that lay here: later tenants get the same address where it is the start
    std::uintptr_t mapped_at = 0;
    std::shared_ptr<DeviceMemory> memory;
    bool pinned = false;
  };

  Site& site(Set set, std::size_t buffer, Place place);
  void house(Site& site, std::uintptr_t at, std::uint64_t bytes, Lending lending);
  void evict(Site& site);
  std::shared_ptr<DeviceMemory> acquire(std::uint64_t bytes, Lending lending);

  const Device& device_;
  std::uint64_t page_;  ///< the device's granule
  std::vector<std::uint64_t> capacity_;
  std::vector<bool> pinned_;
  std::uint64_t align_;
  Random random_;
  AddressSpace addresses_;
  std::array<std::vector<Flush>, kSets> flush_;  ///< per set and buffer: each tensor lies at both ends by turns
  std::map<std::pair<Set, std::size_t>, Site> homes_;
  std::map<Place, Site> locals_;
  std::vector<std::shared_ptr<DeviceMemory>> spare_;
  std::uint64_t spare_bytes_ = 0;
  std::vector<Mapping> unmaps_, maps_;
  bool keep_starts_ = false;
};

}  // namespace assay
