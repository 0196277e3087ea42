/// \file
/// One GPU as the host holds it, and memory that belongs to it. A template over the vendor's
/// library (`Api`), which is what CUDA and HIP differ in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/backends/gpu/api.hpp>
#include <mgws/backends/gpu/moves.hpp>
#include <mgws/backends/gpu/properties.hpp>
#include <mgws/errors.hpp>
#include <mgws/memory.hpp>

namespace mgws::gpu {

/// A GPU with two streams: one for kernels, one for what the host wants while a kernel runs.
template <class Api>
class device {
 public:
  /// \throws not_possible if there is no such GPU
  explicit device(std::uint32_t index) : index_(static_cast<int>(index)) {
    std::string why;
    const int n = Api::count(why);
    if (n == 0)
      throw not_possible(std::string("no ") + Api::vendor + " GPU can be used here: " + why);
    if (index_ >= n)
      throw not_possible("there is no GPU " + std::to_string(index) + ": this machine has " +
                         std::to_string(n));
    Api::use(index_);
    properties_ = Api::properties_of(index_);
    if (!properties_.cooperative)
      throw not_possible(properties_.name +
                         " cannot start a kernel of which all blocks run at once");
    kernels_ = Api::make_stream();
    copies_ = Api::make_stream();
    put_ahead_ = Api::make_event();
  }
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  ~device() {
    Api::destroy(kernels_);
    Api::destroy(copies_);
    Api::destroy(put_ahead_);
  }

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] const gpu::properties& properties() const { return properties_; }
  [[nodiscard]] typename Api::stream kernels() const { return kernels_; }
  [[nodiscard]] typename Api::stream copies() const { return copies_; }

  /// Copies between host and device, also while a kernel runs; back when it is done.
  void write(void* to, const void* from, std::size_t n) const {
    if (n == 0) return;
    Api::use(index_);
    Api::copy_to_device(to, from, n, copies_);
    Api::wait(copies_);
  }
  void read(void* to, const void* from, std::size_t n) const {
    if (n == 0) return;
    Api::use(index_);
    Api::copy_to_host(to, from, n, copies_);
    Api::wait(copies_);
  }
  /// Copies bytes that the GPU reaches, by the next launch that takes the moves.
  void put_move(std::byte* to, const std::byte* from, std::size_t n) {
    std::erase_if(moves_, [&](const moves::piece& p) { return p.to == to; });
    if (n != 0) moves_.push_back({to, from, n});
  }
  /// What is to be copied, as many at once as a launch takes; forgotten.
  [[nodiscard]] std::vector<moves> take_moves() {
    std::vector<moves> all;
    for (const moves::piece& p : moves_) {
      if (all.empty() || all.back().count == moves::k_most) all.emplace_back();
      all.back().pieces[all.back().count++] = p;
    }
    moves_.clear();
    return all;
  }
  /// What the host copies from now on comes behind what was put ahead of the next kernel.
  void copies_follow() const {
    Api::record(put_ahead_, kernels_);
    Api::wait_for(put_ahead_, copies_);
  }
  /// Until all is done that was put behind kernels or before them. \throws device_error
  void settle() const {
    Api::use(index_);
    Api::wait(kernels_);
  }
  /// Sets bytes. Not while a kernel runs that leaves no room: it may be done by another kernel.
  void fill(void* to, int byte, std::size_t n) const {
    if (n == 0) return;
    Api::use(index_);
    Api::fill(to, byte, n, copies_);
    Api::wait(copies_);
  }

 private:
  int index_;
  gpu::properties properties_;
  typename Api::stream kernels_{};
  typename Api::stream copies_{};
  typename Api::event put_ahead_{};
  std::vector<moves::piece> moves_;
};

/// Zeroed memory, of one GPU or of the host, in the latter case mapped so that every GPU reaches
/// it. Movable; must not outlive its device.
template <class Api>
class area {
 public:
  area() = default;
  /// In the device's memory.
  area(device<Api>& owner, std::size_t bytes, reach who = reach::own)
      : owner_(&owner), bytes_(bytes) {
    if (bytes == 0) return;
    Api::use(owner.index());
    data_ = static_cast<std::byte*>(Api::allocate(bytes, who));
    owner.fill(data_, 0, bytes);
  }
  /// In host memory.
  explicit area(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    data_ = static_cast<std::byte*>(Api::allocate_mapped(bytes));
    std::memset(data_, 0, bytes);
  }
  area(area&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  area& operator=(area&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~area() {
    if (data_ == nullptr) return;
    if (owner_ == nullptr) {
      Api::deallocate_mapped(data_);
    } else {
      Api::deallocate(data_);
    }
  }

  /// The address: for the workers, and for the host if on_host(). One address serves both: the
  /// platforms that have mapped memory map it to where the host has it.
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool on_host() const { return owner_ == nullptr; }

  void write(std::size_t offset, const void* from, std::size_t n) const {
    if (on_host()) {
      std::memcpy(data_ + offset, from, n);
    } else {
      owner_->write(data_ + offset, from, n);
    }
  }
  void read(void* to, std::size_t offset, std::size_t n) const {
    if (on_host()) {
      std::memcpy(to, data_ + offset, n);
    } else {
      owner_->read(to, data_ + offset, n);
    }
  }

  // In the order of the kernels of the device that owns the memory, and without waiting: the next
  // one that is launched finds it done, and device::settle() waits for it. Other devices' kernels
  // are not in that order.

  /// What the host has, which may change as soon as this returns: the library keeps a copy.
  void write_ahead(std::size_t offset, const void* from, std::size_t n) const {
    if (on_host()) {
      std::memcpy(data_ + offset, from, n);
    } else {
      Api::use(owner_->index());
      Api::copy_to_device(data_ + offset, from, n, owner_->kernels());
    }
  }
  /// Takes over the bytes of an area of the same kind and size: a move (device::take_moves()).
  void assign(const area& other) const {
    if (on_host()) {
      std::copy_n(other.data_, bytes_, data_);
    } else {
      owner_->put_move(data_, other.data_, bytes_);
    }
  }
  /// The first n bytes; likewise. \param to  page-locked memory
  void read_behind(std::byte* to, std::size_t n) const {
    if (on_host()) {
      std::copy_n(data_, n, to);
    } else {
      owner_->put_move(to, data_, n);
    }
  }

 private:
  device<Api>* owner_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What the host has, where a GPU's workers read it; copied there, before its next kernel, when it
/// has changed.
template <class Api>
class held_copy {
 public:
  /// \param version  differs whenever the bytes do \param in_host  leave them in host memory
  /// \param who      else reaches the GPU's memory \throws std::bad_alloc
  void hold(device<Api>& gpu, std::span<const std::byte> bytes, std::uint64_t version, bool in_host,
            reach who) {
    if (held_ && version == version_) return;
    held_ = false;
    if (area_.bytes() < bytes.size()) {
      area_ = {};
      area_ = in_host ? area<Api>(bytes.size()) : area<Api>(gpu, bytes.size(), who);
    }
    if (!bytes.empty()) area_.write_ahead(0, bytes.data(), bytes.size());
    version_ = version;
    held_ = true;
  }
  [[nodiscard]] const void* data() const { return area_.data(); }
  [[nodiscard]] std::size_t bytes() const { return area_.bytes(); }

 private:
  area<Api> area_;
  std::uint64_t version_ = 0;
  bool held_ = false;
};

/// The memory of a GPU, for mgws::array.
template <class Api>
class device_memory final : public memory_space {
 public:
  explicit device_memory(std::shared_ptr<const device<Api>> owner, reach who = reach::own)
      : owner_(std::move(owner)), who_(who) {}

  void* allocate(std::size_t bytes) override {
    Api::use(owner_->index());
    return Api::allocate(bytes, who_);
  }
  void deallocate(void* p) noexcept override { Api::deallocate(p); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    owner_->write(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    owner_->read(to, from, bytes);
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    owner_->fill(to, byte, bytes);
  }

 private:
  std::shared_ptr<const device<Api>> owner_;
  reach who_;
};

/// Memory whose pages move to whoever touches them, this GPU, another one or the host, for
/// mgws::array. What is set before a run begins lies on this GPU.
template <class Api>
class managed_memory final : public memory_space {
 public:
  /// \pre the GPU's properties say that it has such
  explicit managed_memory(std::shared_ptr<const device<Api>> owner) : owner_(std::move(owner)) {}

  void* allocate(std::size_t bytes) override {
    Api::use(owner_->index());
    void* const p = Api::allocate_managed(bytes);
    move_here(p, bytes);
    return p;
  }
  void deallocate(void* p) noexcept override { Api::deallocate(p); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    move_here(to, bytes);
    owner_->write(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    owner_->read(to, from, bytes);
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    move_here(to, bytes);
    owner_->fill(to, byte, bytes);
  }

 private:
  void move_here(void* p, std::size_t bytes) const {
    Api::use(owner_->index());
    Api::move_pages(p, bytes, owner_->index(), owner_->copies());
    Api::wait(owner_->copies());
  }

  std::shared_ptr<const device<Api>> owner_;
};

/// Host memory that every GPU reaches at the host's own address, for mgws::array.
template <class Api>
class mapped_memory final : public host_memory {
 public:
  void* allocate(std::size_t bytes) override { return Api::allocate_mapped(bytes); }
  void deallocate(void* p) noexcept override { Api::deallocate_mapped(p); }
  void adopt(void* p, std::size_t bytes) override { Api::map_host(p, bytes); }
  void let_go(void* p) noexcept override { Api::unmap_host(p); }
};

}  // namespace mgws::gpu
