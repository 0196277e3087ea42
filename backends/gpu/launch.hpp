/// \file
/// The kernels of a run, one a GPU: started together, waited for together, timed as one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/errors.hpp>

namespace mgws::gpu {

/// Host code, for one thread at a time.
template <class Api>
class launch {
  using device = gpu::device<Api>;

 public:
  explicit launch(std::vector<std::shared_ptr<device>> gpus) : gpus_(std::move(gpus)) {
    for (const auto& gpu : gpus_) {
      Api::use(gpu->index());
      each_.push_back(Api::make_event());
    }
    Api::use(first().index());
    began_ = Api::make_event();
    if (gpus_.size() > 1) all_ = Api::make_event();
  }
  launch(const launch&) = delete;
  launch& operator=(const launch&) = delete;
  ~launch() {
    for (const auto& e : each_)
      Api::destroy(e);
    Api::destroy(began_);
    if (gpus_.size() > 1) Api::destroy(all_);
  }

  /// \param all     the arguments of each GPU's kernel
  /// \param blocks  of each GPU
  template <class Arguments>
  void start(void (*kernel)(Arguments), const std::vector<Arguments>& all,
             std::span<const grid> blocks) const {
    Api::use(first().index());
    Api::record(began_, first().kernels());
    for (std::size_t d = 0; d != gpus_.size(); ++d) {
      Api::use(gpus_[d]->index());
      Api::launch(kernel, all[d], blocks[d], gpus_[d]->kernels());
      Api::record(each_[d], gpus_[d]->kernels());
    }
    if (gpus_.size() == 1) return;
    Api::use(first().index());
    for (std::size_t d = 1; d != gpus_.size(); ++d)
      Api::wait_for(each_[d], first().kernels());
    Api::record(all_, first().kernels());
  }

  /// Whether a GPU's kernel has ended. \throws device_error, which names the GPU, if it failed
  [[nodiscard]] bool done(std::size_t d) const {
    Api::use(gpus_[d]->index());
    return Api::done(each_[d]);
  }
  /// Looks at all of them, because one may have failed while another waits for it.
  /// \throws device_error if a kernel failed
  [[nodiscard]] bool all_done() const {
    bool all = true;
    for (std::size_t d = 0; d != gpus_.size(); ++d)
      all = done(d) && all;
    if (!all || gpus_.size() == 1) return all;
    Api::use(first().index());
    return Api::done(all_);
  }

  /// Asks often at first: many runs take less than a millisecond, and the next step should not wait
  /// for a sleeper. \throws device_error if a kernel failed
  [[nodiscard]] bool ended_within(std::chrono::duration<double> time, bool limited) const {
    const auto begin = std::chrono::steady_clock::now();
    while (!all_done()) {
      const auto since = std::chrono::steady_clock::now() - begin;
      if (limited && since >= time) return false;
      if (since > std::chrono::milliseconds(20)) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      } else {
        std::this_thread::yield();
      }
    }
    return true;
  }
  /// After a failure: waits until every kernel has ended or failed.
  void wait_for_the_others(std::chrono::steady_clock::duration time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    for (std::size_t d = 0; d != gpus_.size(); ++d)
      while (!done_or_failed(d) && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// From the first kernel's start to the last one's end. \pre all_done()
  [[nodiscard]] double seconds() const {
    return Api::seconds_between(began_, gpus_.size() == 1 ? each_.front() : all_);
  }

 private:
  [[nodiscard]] const device& first() const { return *gpus_.front(); }
  [[nodiscard]] bool done_or_failed(std::size_t d) const {
    try {
      return done(d);
    } catch (const device_error&) {
      return true;
    }
  }

  std::vector<std::shared_ptr<device>> gpus_;
  std::vector<typename Api::event> each_;
  // On the first GPU: before its kernel, and after all kernels if there are several.
  typename Api::event began_{};
  typename Api::event all_{};
};

}  // namespace mgws::gpu
