#pragma once
#include <algorithm>
#include <source_location>
#include <string>
#include <vector>

namespace assay {

/// An open set that fills itself before main: no I/O and no failure while registering (STYLE.md, 4 and 5).
/// `Item` has `std::string_view id` and `std::source_location where`.
template <class Item>
class Registry {
 public:
  static bool add(const Item& item) noexcept {
    items().push_back(item);
    return true;
  }

  /// Sorted by id, so that nothing depends on the order of linking.
  static std::vector<Item> all() {
    std::vector<Item> sorted = items();
    std::sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) { return a.id < b.id; });
    return sorted;
  }

  /// One message per duplicate or malformed id (kebab-case wanted), naming the places.
  static std::vector<std::string> problems() {
    std::vector<std::string> found;
    const std::vector<Item> sorted = all();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (!kebab_case(sorted[i].id)) found.push_back(place(sorted[i]) + ": bad id '" + std::string(sorted[i].id) + "'");
      if (i > 0 && sorted[i].id == sorted[i - 1].id) {
        found.push_back(place(sorted[i]) + ": id '" + std::string(sorted[i].id) + "' is taken by " +
                        place(sorted[i - 1]));
      }
    }
    return found;
  }

 private:
  static std::vector<Item>& items() {
    static std::vector<Item> all_items;
    return all_items;
  }
  static bool kebab_case(std::string_view id) {
    return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  }
  static std::string place(const Item& item) {
    return std::string(item.where.file_name()) + ":" + std::to_string(item.where.line());
  }
};

}  // namespace assay
