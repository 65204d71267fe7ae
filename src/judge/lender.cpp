#include "judge/lender.h"

#include <algorithm>

namespace assay {
namespace {

/// Memory kept for reuse; beyond it the oldest is given back to the system.
constexpr std::uint64_t kSpareBytes = 256ULL << 20;
/// How often a tensor that stays at its address gets other physical memory there.
constexpr double kRenewal = 0.125;

std::uint64_t most(const std::vector<std::uint64_t>& capacity) {
  return capacity.empty() ? 0 : *std::max_element(capacity.begin(), capacity.end());
}

}  // namespace

Lender::Lender(const Device& device, const Loaded& worker, std::vector<std::uint64_t> capacity,
               std::vector<bool> pinned, std::uint64_t align, std::uint64_t key)
    : device_(device),
      page_(device.info().granule),
      capacity_(std::move(capacity)),
      pinned_(std::move(pinned)),
      align_(align),
      random_(key),
      addresses_(worker.arena, worker.arena_bytes, random_(), page_) {
  for (std::size_t b = 0; b < capacity_.size(); ++b) {
    const Flush first{random_.chance(0.5), random_.chance(0.5)};
    flush_[0].push_back(first);
    flush_[1].push_back({!first.at_end, random_.chance(0.5)});
  }
}

Lender::Site& Lender::site(Set set, std::size_t buffer, Place place) {
  Site& site = place == kHome ? homes_[{set, buffer}] : locals_[place];
  if (site.range.bytes == 0) {
    // A script's own place may be taken over by any tensor, so it is large enough for every one.
    const std::uint64_t bytes = place == kHome ? capacity_[buffer] : most(capacity_);
    site.range = addresses_.allocate(bytes + 2 * align_ + page_, 2 * align_);
    site.flush = flush_[static_cast<std::size_t>(set)][buffer];
    if (place != kHome && keep_starts_) site.flush.at_end = false;
  }
  return site;
}

Lodging Lender::lodge(Set set, std::size_t buffer, Place place, std::uint64_t bytes, Lending lending,
                      std::optional<int> shift) {
  Site& here = site(set, buffer, place);
  here.pinned = here.pinned || pinned_[buffer];
  const Flush flush = here.flush;
  const Layout layout = shift ? lay_out_shifted(bytes, align_, *shift, page_) : lay_out(bytes, align_, flush, page_);
  const std::uintptr_t at =
      flush.at_end ? here.range.address + here.range.bytes - layout.pages_bytes : here.range.address;
  house(here, at, layout.pages_bytes, lending);
  return {at + layout.offset, layout.offset, bytes, here.memory};
}

void Lender::house(Site& site, std::uintptr_t at, std::uint64_t bytes, Lending lending) {
  const bool fits = site.memory && site.mapped_at == at && static_cast<std::uint64_t>(site.memory->bytes()) == bytes &&
                    site.memory->writable() == (lending == Lending::writable);
  if (fits && !random_.chance(kRenewal)) return;
  // Taken before the old tenant is given up: otherwise the same memory would come back at once.
  std::shared_ptr<DeviceMemory> memory = acquire(bytes, lending);
  evict(site);
  site.memory = std::move(memory);
  site.mapped_at = at;
  maps_.push_back({at, bytes, site.memory->fd(), lending == Lending::writable});
}

void Lender::evict(Site& site) {
  if (!site.memory) return;
  const auto pending =
      std::find_if(maps_.begin(), maps_.end(), [&](const Mapping& m) { return m.address == site.mapped_at; });
  if (pending != maps_.end()) {
    maps_.erase(pending);
  } else {
    unmaps_.push_back({site.mapped_at, static_cast<std::uint64_t>(site.memory->bytes()), -1, false});
  }
  spare_bytes_ += static_cast<std::uint64_t>(site.memory->bytes());
  spare_.push_back(std::move(site.memory));
  while (spare_bytes_ > kSpareBytes && !spare_.empty()) {
    spare_bytes_ -= static_cast<std::uint64_t>(spare_.front()->bytes());
    spare_.erase(spare_.begin());
  }
}

std::shared_ptr<DeviceMemory> Lender::acquire(std::uint64_t bytes, Lending lending) {
  const auto it = std::find_if(spare_.begin(), spare_.end(), [&](const std::shared_ptr<DeviceMemory>& m) {
    return static_cast<std::uint64_t>(m->bytes()) == bytes && m->writable() == (lending == Lending::writable);
  });
  if (it == spare_.end()) return device_.lend(bytes, lending);
  std::shared_ptr<DeviceMemory> memory = *it;
  spare_.erase(it);
  spare_bytes_ -= bytes;
  return memory;
}

std::vector<std::shared_ptr<DeviceMemory>> Lender::tenants() const {
  std::vector<std::shared_ptr<DeviceMemory>> all;
  for (const auto& [key, site] : homes_) {
    if (site.memory) all.push_back(site.memory);
  }
  for (const auto& [place, site] : locals_) {
    if (site.memory) all.push_back(site.memory);
  }
  return all;
}

std::vector<Mapping> Lender::take_changes() {
  std::vector<Mapping> changes = std::move(unmaps_);
  changes.insert(changes.end(), maps_.begin(), maps_.end());
  unmaps_.clear();
  maps_.clear();
  return changes;
}

void Lender::end_script() {
  for (auto& [place, site] : locals_) {
    evict(site);
    if (!site.pinned) addresses_.release(site.range);
  }
  locals_.clear();
}

}  // namespace assay
