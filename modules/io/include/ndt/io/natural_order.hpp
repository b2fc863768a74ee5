// The order of file names: numbers in them count as numbers, so cloud_2 comes before cloud_10.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ndt::io {

/// Whether name `a` comes before `b`: numbers by value and before letters, the rest by byte. Names that
/// differ only in zeros before a number are in the order of their bytes.
bool before_naturally(std::string_view a, std::string_view b);

/// Sorts by file name, naturally or by byte.
enum class NameOrder { number, name };
void sort_by_name(std::vector<std::filesystem::path>& files, NameOrder order = NameOrder::number);

/// Returns the two names at the first place where both orders differ: "cloud_10" by byte and "cloud_2" by
/// number. Both are empty if the orders are the same.
std::pair<std::string, std::string> first_difference(std::vector<std::filesystem::path> files);

}  // namespace ndt::io
