#include "io/ros_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/text.hpp"

#if NDT_HAVE_YAML
#include <yaml-cpp/yaml.h>
#endif

namespace ndt::harness {

#if NDT_HAVE_YAML

namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kValuesMost = 4096;
constexpr std::string_view kKey = "ros__parameters";
constexpr std::string_view kParameterForm =
    "it must be a ROS 2 parameter file: the node's name or /**, below it ros__parameters, below that the "
    "parameters";

std::size_t line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : static_cast<std::size_t>(mark.line) + 1;
}

std::string text_of(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : ""; }

std::string joined(const std::string& path, const std::string& name, char with) {
  return path.empty() || path.ends_with(with) ? path + name : path + with + name;
}

}  // namespace

/// Takes the parameters of a node from a file of many.
class RosParameterReader {
 public:
  RosParameterReader(const std::filesystem::path& file, std::string_view node)
      : name_(printable_name(file.native())), node_(node) {
    const std::string text =
        whole_text(file, Limits::kHeaderBytes, "give the parameter file of one node alone");
    try {
      const YAML::Node root = YAML::Load(text);
      find_blocks(root, "", 0);
    } catch (const YAML::Exception& error) {
      refuse(line_of(error.mark), fmt::format("is not YAML: {}", printable(error.msg, 200)), kParameterForm);
    }
  }

  RosParameters take() {
    if (blocks_.empty()) refuse(0, fmt::format("has no {}", kKey), kParameterForm);
    RosParameters parameters;
    parameters.file_ = name_;
    bool found = false;
    for (const bool own : {false, true})  // a node's own parameters win over those of all nodes
      for (const Block& block : blocks_)
        if (matches(block, own)) take_block(block, parameters), found = true;
    if (!found && blocks_.size() == 1)
      take_block(blocks_[0], parameters);
    else if (!found)
      refuse(0, fmt::format("has no parameters of {}, only of {}", node_, nodes()),
             fmt::format("give a file with {} or /**", node_));
    return parameters;
  }

 private:
  struct Block {
    std::string node;
    YAML::Node parameters;
  };

  [[noreturn]] void refuse(std::size_t line, std::string_view what, std::string_view advice) const {
    throw refusal(name_, line == 0 ? "" : fmt::format("line {}", line), what, advice);
  }

  bool matches(const Block& block, bool own) const {
    const std::string last = block.node.substr(block.node.rfind('/') + 1);
    return own ? last == node_ : last == "**" || last == "*";
  }

  std::string nodes() const {
    std::vector<std::string> names;
    for (const Block& block : blocks_) names.push_back(printable(block.node));
    if (names.size() > 5) names.resize(5), names.push_back("...");
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void require_shallow(const YAML::Node& node, int depth) {
    if (depth > kDeepest)
      refuse(line_of(node.Mark()), fmt::format("is more than {} levels deep", kDeepest), kParameterForm);
    if (++visited_ > kValuesMost)
      refuse(0, fmt::format("has more than {} values", kValuesMost),
             "give the parameter file of one node alone");
  }

  /// Node names may be nested, as namespaces.
  void find_blocks(const YAML::Node& node, const std::string& path, int depth) {
    require_shallow(node, depth);
    if (!node.IsMap()) {
      if (depth == 0) refuse(0, "has no names with values", kParameterForm);
      return;
    }
    for (const auto& entry : node) {
      const std::string name = text_of(entry.first);
      if (name == kKey)
        blocks_.push_back({path, entry.second});
      else
        find_blocks(entry.second, joined(path, name, '/'), depth + 1);
    }
  }

  void take_block(const Block& block, RosParameters& out) {
    if (!block.parameters.IsMap())
      refuse(line_of(block.parameters.Mark()), fmt::format("{} holds no parameters", kKey), kParameterForm);
    RosParameters of_block;
    take_map(block.parameters, "", of_block, 0);
    for (auto& [name, parameter] : of_block.parameters_)
      out.parameters_.insert_or_assign(name, std::move(parameter));
  }

  void take_map(const YAML::Node& map, const std::string& path, RosParameters& out, int depth) {
    require_shallow(map, depth);
    for (const auto& entry : map) {
      const std::string part = text_of(entry.first);
      if (part.empty()) refuse(line_of(entry.first.Mark()), "a parameter has no name", "give NAME: VALUE");
      const std::string name = joined(path, part, '.');
      if (entry.second.IsMap())
        take_map(entry.second, name, out, depth + 1);
      else
        take_value(name, entry.first, entry.second, out);
    }
  }

  void take_value(const std::string& name, const YAML::Node& key, const YAML::Node& value,
                  RosParameters& out) {
    RosParameter parameter;
    parameter.line = line_of(key.Mark());
    parameter.order = visited_;
    parameter.list = value.IsSequence();
    parameter.quoted = value.IsScalar() && value.Tag() == "!";
    require_shallow(value, 0);
    if (parameter.list)
      for (const auto& entry : value) {
        require_shallow(entry, 0);
        parameter.values.push_back(text_of(entry));
      }
    else
      parameter.values.push_back(text_of(value));
    const auto [at, fresh] = out.parameters_.emplace(name, std::move(parameter));
    if (!fresh)
      refuse(line_of(key.Mark()),
             fmt::format("{} comes twice, the first time in line {}", printable(name, 100), at->second.line),
             "keep one of them");
  }

  std::string name_, node_;
  std::vector<Block> blocks_;
  std::size_t visited_ = 0;
};

RosParameters RosParameters::read(const std::filesystem::path& file, std::string_view node) {
  return RosParameterReader(file, node).take();
}

#else

RosParameters RosParameters::read(const std::filesystem::path& file, std::string_view) {
  throw refusal(printable_name(file.native()), "", "cannot be read: this build is without yaml-cpp",
                "install it (Debian: libyaml-cpp-dev) and build again");
}

#endif

namespace {

template <class Bounded>
std::string within(const Bounded& bounds) {
  return std::isfinite(bounds.low) && std::isfinite(bounds.high) ? " in " + interval(bounds) : "";
}

}  // namespace

std::vector<std::string> RosParameters::names() const {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters_) names.push_back(name);
  std::ranges::sort(names, {}, [&](const std::string& name) { return find(name)->order; });
  return names;
}

const RosParameter* RosParameters::find(std::string_view name) const {
  const auto at = parameters_.find(name);
  return at == parameters_.end() ? nullptr : &at->second;
}

std::string RosParameters::text(std::string_view name) const {
  const RosParameter* parameter = find(name);
  if (parameter == nullptr) return "";
  std::string text = fmt::format("{}", fmt::join(parameter->values, ", "));
  if (parameter->list) text = '[' + text + ']';
  return printable(text, 60);
}

void RosParameters::refuse(std::string_view name, std::string_view what, std::string_view expected) const {
  const RosParameter* parameter = find(name);
  throw refusal(file_, fmt::format("line {}", parameter ? parameter->line : 0),
                fmt::format("{} = {}: {}", printable(name, 100), text(name), what), expected);
}

void RosParameters::require_single(std::string_view name, const RosParameter& parameter,
                                   std::string_view expected) const {
  if (parameter.list) refuse(name, "is a list", expected);
  if (parameter.quoted) refuse(name, "is text, because of its quotes", expected);
}

double RosParameters::real(std::string_view name, const RosParameter& parameter, const std::string& value,
                           const Bounds& bounds) const {
  const std::string expected = fmt::format("give {}{}{}", parameter.list ? "a list of numbers" : "a number",
                                           parameter.list ? ", each" : "", within(bounds));
  const Real<double> real = parse_real<double>(value);
  if (real.fault != RealFault::none || !std::isfinite(real.value))
    refuse(name,
           parameter.list ? fmt::format("'{}' is no finite number", printable(value)) : "is no finite number",
           expected);
  if (!bounds.hold(real.value)) refuse(name, "is out of bounds", expected);
  return real.value;
}

std::optional<double> RosParameters::number(std::string_view name, const Bounds& bounds) const {
  const RosParameter* parameter = find(name);
  if (parameter == nullptr) return std::nullopt;
  require_single(name, *parameter, fmt::format("give a number{}", within(bounds)));
  return real(name, *parameter, parameter->values[0], bounds);
}

std::optional<std::int64_t> RosParameters::whole(std::string_view name, std::int64_t least,
                                                 std::int64_t most) const {
  const RosParameter* parameter = find(name);
  if (parameter == nullptr) return std::nullopt;
  const std::string expected = fmt::format("give a whole number in [{}, {}]", least, most);
  require_single(name, *parameter, expected);
  std::string_view digits = parameter->values[0];
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto value = parse_whole_number(digits);
  if (!value) refuse(name, "is no whole number", expected);
  constexpr std::uint64_t kFar = std::uint64_t{1} << 62;
  const auto magnitude = static_cast<std::int64_t>(std::min(*value, kFar));
  const std::int64_t whole = negative ? -magnitude : magnitude;
  if (whole < least || whole > most) refuse(name, "is out of bounds", expected);
  return whole;
}

std::optional<bool> RosParameters::flag(std::string_view name) const {
  const RosParameter* parameter = find(name);
  if (parameter == nullptr) return std::nullopt;
  require_single(name, *parameter, "give true or false");
  std::string word = parameter->values[0];
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (word == "true" || word == "yes" || word == "on" || word == "y") return true;
  if (word == "false" || word == "no" || word == "off" || word == "n") return false;
  refuse(name, "is neither true nor false", "give true or false");
}

std::optional<std::string> RosParameters::word(std::string_view name) const {
  const RosParameter* parameter = find(name);
  if (parameter == nullptr) return std::nullopt;
  if (parameter->list || parameter->values[0].empty()) refuse(name, "is no name", "give one name");
  return parameter->values[0];
}

std::optional<std::vector<double>> RosParameters::numbers(std::string_view name) const {
  const RosParameter* parameter = find(name);
  if (parameter == nullptr) return std::nullopt;
  if (!parameter->list) refuse(name, "is no list", "give a list of numbers, such as [0.5, -0.5]");
  std::vector<double> numbers;
  for (const std::string& value : parameter->values)
    numbers.push_back(real(name, *parameter, value, Bounds::finite()));
  return numbers;
}

}  // namespace ndt::harness
