#include "judge/speed/slot_set.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "device/cpu/flush.h"
#include "judge/layout.h"
#include "judge/registers.h"

namespace assay {
namespace {

constexpr std::uint64_t kLine = 64;
/// At least so many bytes of nobody's between two tensors.
constexpr std::uint64_t kZone = 64;

/// Half of all tensors start at a cache line, as most allocators give it; the rest wherever the contract allows.
std::uint64_t start_within_page(std::uint64_t align, Random& random) {
  const std::uint64_t step = random.chance(0.5) ? std::max(align, kLine) : align;
  return step >= kPage ? 0 : step * random.below(kPage / step);
}

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

SlotSet::SlotSet(const Contract& contract, const ConcreteShape& shape, std::size_t slots, std::uint64_t layout,
                 const StreamKey& poison)
    : contract_(contract), shape_(shape), buffers_(buffers_of(contract, shape)), slots_(slots), key_(poison) {
  Random random(layout);
  lay_out(random);
  for (Memory* memory : {&readable_, &writable_}) {
    memory->lent = std::make_shared<LentMemory>(static_cast<std::int64_t>(std::max(memory->bytes, kPage)),
                                                memory == &writable_ ? Lending::writable : Lending::read_only);
  }
  image_.resize(static_cast<std::size_t>(writable_.lent->bytes()));
  fill_random_bytes(image_, derive_key(key_, 0, "between"));
  fill_random_bytes({readable_.lent->data(), static_cast<std::size_t>(readable_.lent->bytes())},
                    derive_key(key_, 1, "between"));
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    poison_.push_back({s % 2 == 0 ? Poison::small_finite : Poison::quiet_nan, derive_key(key_, s, "poison")});
    for (Staged& staged : slots_[s]) {
      staged.lodging.memory = memory_of(*staged.buffer).lent;
      if (staged.buffer->lending() != Lending::writable) continue;
      fill_poison(std::span(image_).subspan(staged.lodging.offset, staged.lodging.bytes), poison_[s],
                  staged.buffer->dtype);
    }
  }
  std::memcpy(writable_.lent->data(), image_.data(), image_.size());
}

void SlotSet::lay_out(Random& random) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    slots_[s].resize(buffers_.size());
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      Staged& staged = slots_[s][b];
      const bool shared = s > 0 && buffers_[b].tensor && contract_.tensors[b].is_static;
      staged.buffer = &buffers_[b];
      if (shared) {
        staged.lodging = slots_[0][b].lodging;
      } else {
        house(staged, random);
      }
    }
  }
}

void SlotSet::house(Staged& staged, Random& random) {
  Memory& memory = memory_of(*staged.buffer);
  staged.lodging.offset = memory.bytes + start_within_page(static_cast<std::uint64_t>(contract_.memory.align), random);
  staged.lodging.bytes = staged.buffer->bytes;
  memory.bytes = whole_pages(staged.lodging.offset + staged.lodging.bytes + kZone);
}

std::byte* SlotSet::data_of(const Staged& staged) const {
  const Memory& memory = staged.buffer->lending() == Lending::writable ? writable_ : readable_;
  return memory.lent->data() + staged.lodging.offset;
}

std::uint64_t SlotSet::zone_bytes() const {
  std::uint64_t lent = 0;
  for (const std::vector<Staged>& slot : slots_) {
    for (const Staged& staged : slot) lent += staged.buffer->lending() == Lending::writable ? staged.lodging.bytes : 0;
  }
  return (image_.size() - lent) / slots_.size();
}

std::vector<Mapping> SlotSet::place(AddressSpace& addresses) {
  const std::uint64_t align = std::max<std::uint64_t>(static_cast<std::uint64_t>(contract_.memory.align), kPage);
  std::vector<Mapping> mappings;
  for (const Memory* memory : {&readable_, &writable_}) {
    const auto bytes = static_cast<std::uint64_t>(memory->lent->bytes());
    const Range range = addresses.allocate(bytes, align);
    mappings.push_back({range.address, bytes, memory->lent->fd(), memory == &writable_});
    for (std::vector<Staged>& slot : slots_) {
      for (Staged& staged : slot) {
        if (staged.lodging.memory == memory->lent) staged.lodging.address = range.address + staged.lodging.offset;
      }
    }
  }
  return mappings;
}

std::vector<Registers> SlotSet::registers(const Entry& entry, const CallPlan& plan, Random& random) const {
  std::vector<Registers> all;
  for (const std::vector<Staged>& slot : slots_) {
    all.push_back(registers_of(contract_, entry, plan, slot, random).args);
  }
  return all;
}

void SlotSet::write(std::size_t slot, const std::vector<std::shared_ptr<const Bytes>>& inputs) {
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    const Lodging& lodging = slots_[slot][b].lodging;
    if (lodging.bytes == 0 || !buffers_[b].holds_input()) continue;
    std::memcpy(data_of(slots_[slot][b]), inputs[b]->data(), lodging.bytes);
    if (buffers_[b].lending() == Lending::writable) {
      std::memcpy(image_.data() + lodging.offset, inputs[b]->data(), lodging.bytes);
    }
  }
}

void SlotSet::restore(std::size_t slot) {
  for (const Staged& staged : slots_[slot]) {
    const Lodging& lodging = staged.lodging;
    if (lodging.bytes == 0 || staged.buffer->lending() != Lending::writable) continue;
    std::memcpy(data_of(staged), image_.data() + lodging.offset, lodging.bytes);
  }
}

void SlotSet::flush(std::size_t slot) const {
  for (const Staged& staged : slots_[slot]) {
    flush_from_caches({data_of(staged), static_cast<std::size_t>(staged.lodging.bytes)});
  }
}

OutputDigest SlotSet::digest(std::size_t slot, const Entry& entry, std::uint64_t value) const {
  const bool numberless = entry.returns == ReturnKind::nothing;
  XXH128_hash_t hash{numberless ? 0 : value, 0};
  for (const Staged& staged : slots_[slot]) {
    const Buffer& buffer = *staged.buffer;
    if (!buffer.holds_output() || !buffer.tensor || entry.returns_element_of(buffer.name)) continue;
    const std::uint64_t seed = hash.low64 ^ hash.high64;
    if (buffer.tensor->contiguous) {
      hash = XXH3_128bits_withSeed(data_of(staged), staged.lodging.bytes, seed);
    } else {
      const Bytes elements = packed(contract_, *buffer.tensor, data_of(staged));
      hash = XXH3_128bits_withSeed(elements.data(), elements.size(), seed);
    }
  }
  return {hash.low64, hash.high64};
}

CallFacts SlotSet::facts(std::size_t slot, const Entry& entry, std::uint64_t value) const {
  CallFacts facts;
  facts.outcome = Returned{value, 0};
  for (const Staged& staged : slots_[slot]) {
    const Buffer& buffer = *staged.buffer;
    facts.outputs.emplace_back();
    facts.poison.push_back(buffer.holds_input() ? std::nullopt : std::optional(poison_[slot]));
    facts.aliased.push_back(false);
    if (entry.returns_element_of(buffer.name)) {
      facts.outputs.back() = returned_element(value, buffer.dtype);
    } else if (buffer.holds_output()) {
      facts.outputs.back().assign(data_of(staged), data_of(staged) + staged.lodging.bytes);
    }
  }
  return facts;
}

std::vector<Damage> SlotSet::damage(const std::vector<bool>& called) const {
  std::vector<Damage> damage;
  std::uint64_t reached = 0;
  const auto compare = [&](std::uint64_t end, const std::string& where) {
    const auto size = static_cast<std::size_t>(end - reached);
    const auto at = first_difference(writable_.lent->data() + reached, image_.data() + reached, size);
    if (at && damage.empty()) damage.push_back({where, static_cast<std::int64_t>(*at), true});
    reached = end;
  };
  // Places follow each other in the order of slots and buffers.
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    for (const Staged& staged : slots_[s]) {
      if (staged.buffer->lending() != Lending::writable) continue;
      compare(staged.lodging.offset, "what lies before " + staged.buffer->name + " of a slot");
      if (called[s]) reached += staged.lodging.bytes;
      compare(staged.lodging.offset + staged.lodging.bytes, "a slot that was prepared but not called");
    }
  }
  compare(image_.size(), "what lies after the last slot");
  return damage;
}

}  // namespace assay
