// Owners of device and pinned host memory. Move-only; a buffer must not outlive its Context.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ndt/cuda/context.cuh"

namespace ndt::cuda {

enum class Memory { device, pinned };

/// A buffer of `capacity` uninitialised elements. It grows only beyond the most it ever held, so an equal
/// second call allocates nothing.
template <class T, Memory kind>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Buffer(Context& context, std::size_t capacity = 0) : context_(&context) { reserve(capacity); }
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept
      : context_(other.context_),
        data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Makes room for n elements. If the buffer grows, its contents are lost. Throws Error, and then holds
  /// nothing.
  void reserve(std::size_t n, const std::source_location& where = std::source_location::current()) {
    if (n <= capacity_) return;
    release();
    data_ = static_cast<T*>(kind == Memory::device ? context_->allocate(n * sizeof(T), where)
                                                   : context_->allocate_pinned(n * sizeof(T), where));
    capacity_ = n;
  }
  T* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }
  T& operator[](std::size_t i) const requires(kind == Memory::pinned) { return data_[i]; }

 private:
  void release() noexcept {
    if (data_ == nullptr) return;
    if constexpr (kind == Memory::device)
      context_->free(data_, capacity_ * sizeof(T));
    else
      context_->free_pinned(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

  Context* context_;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

template <class T>
using DeviceBuffer = Buffer<T, Memory::device>;
template <class T>
using PinnedBuffer = Buffer<T, Memory::pinned>;

/// Several uninitialised arrays in one allocation of device memory, because each takes the host as long as a
/// small kernel takes the device.
template <class... T>
class DeviceArrays {
 public:
  /// Numbers of elements, one for each array.
  using Sizes = std::array<std::size_t, sizeof...(T)>;

  explicit DeviceArrays(Context& context, const Sizes& sizes = {},
                        const std::source_location& where = std::source_location::current())
      : memory_(context) {
    reserve(sizes, where);
  }

  /// Makes room, of which the contents are lost. Throws Error, and then holds nothing.
  void reserve(const Sizes& sizes, const std::source_location& where = std::source_location::current()) {
    std::size_t end = 0, k = 0;
    ((begins_[k] = end, end += (sizes[k] * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment, ++k), ...);
    memory_.reserve(end, where);
  }
  /// The beginnings of the arrays, each at a multiple of 256 bytes.
  std::tuple<T*...> data() const { return data(std::index_sequence_for<T...>{}); }
  template <std::size_t k>
  auto* data() const {
    return reinterpret_cast<std::tuple_element_t<k, std::tuple<T...>>*>(memory_.data() + begins_[k]);
  }

 private:
  static constexpr std::size_t kAlignment = 256;

  template <std::size_t... k>
  std::tuple<T*...> data(std::index_sequence<k...>) const {
    return {data<k>()...};
  }

  DeviceBuffer<std::byte> memory_;
  Sizes begins_{};
};

}  // namespace ndt::cuda
