/// \file
/// Termination by votes that travel up binary trees in waves: one tree a device over its workers,
/// one over the devices' first workers (after SWS and MGWS section 5.6.2). Loads and stores only,
/// every cell with a single writer.
///
/// A passive worker votes once a wave, after its children: "nothing here" if the children say so
/// and nothing has left its queue for others since its vote in the wave before (hazard 24). If the
/// root's vote is "nothing", the run is over; else the root begins the next wave.
#pragma once

#include <cstdint>

#include <mgws/core/termination/detector.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V>
class tree_detector {
  using B = typename V::backend;

  /// Cells of a device: [0] the wave, then a vote for each of its workers. Global cells: [0] the
  /// wave, then a vote for each device. A cell holds 2 * wave + flag; the flag of a vote says
  /// "nothing here", the flag of a wave "over". Waves count from 1, so that the zeros at the start
  /// belong to no wave; a device whose first worker has not looked yet shows wave 0.
  static constexpr std::uint64_t k_first_wave = 1;

 public:
  static constexpr std::uint32_t global_cells(std::uint32_t devices) { return 1 + devices; }
  static constexpr std::uint32_t device_cells(std::uint32_t workers) { return 1 + workers; }

  MGWS_FN tree_detector(const V& view, const run_parameters& run, std::uint32_t device,
                        std::uint32_t worker)
      : view_(&view),
        device_(device),
        rank_(worker - run.device[device].first_worker),
        workers_(run.device[device].workers),
        devices_(run.devices) {}

  MGWS_FN bool out_of_work(std::uint64_t given) {
    given_ = given;
    return true;
  }
  MGWS_FN void regained_work() {}

  /// Votes do not tell: a live run counts.
  [[nodiscard]] MGWS_FN static bool others_idle() { return false; }
  [[nodiscard]] MGWS_FN static bool half_idle(std::uint32_t /*more*/) { return false; }

  MGWS_FN verdict ask() { return rank_ == 0 ? ask_root() : ask_member(); }

 private:
  MGWS_FN std::uint64_t read_device(std::uint32_t i) const {
    return B::load(view_->device_cell(device_, i).value, P::read_vote, V::device_scope);
  }
  MGWS_FN void write_device(std::uint32_t i, std::uint64_t v) {
    B::store(view_->device_cell(device_, i).value, v, P::vote, V::device_scope);
  }
  MGWS_FN std::uint64_t read_global(std::uint32_t i) const {
    return B::load(view_->global_cell(i).value, P::read_vote, V::global_scope);
  }
  MGWS_FN void write_global(std::uint32_t i, std::uint64_t v) {
    B::store(view_->global_cell(i).value, v, P::vote, V::global_scope);
  }

  /// Collects the votes of a node's two children. \return false while one is missing
  template <class Read>
  MGWS_FN static bool collect(std::uint32_t node, std::uint32_t nodes, std::uint64_t wave,
                              bool& nothing, Read&& read) {
    for (std::uint32_t child = 2 * node + 1; child <= 2 * node + 2 && child < nodes; ++child) {
      const std::uint64_t vote = read(child);
      if (vote >> 1 != wave) return false;
      nothing = nothing && (vote & 1) != 0;
    }
    return true;
  }

  /// This worker's own vote and its children's, once a wave.
  MGWS_FN bool vote_here(std::uint64_t wave, bool& nothing) {
    nothing = given_ == given_at_vote_;
    if (!collect(rank_, workers_, wave, nothing,
                 [&](auto child) { return read_device(1 + child); }))
      return false;
    given_at_vote_ = given_;
    voted_ = wave;
    return true;
  }

  MGWS_FN verdict ask_member() {
    const std::uint64_t seen = read_device(0);
    if ((seen & 1) != 0) return verdict::over;
    const std::uint64_t wave = seen >> 1;
    bool nothing = false;
    if (wave < k_first_wave || voted_ == wave || !vote_here(wave, nothing)) return verdict::running;
    write_device(1 + rank_, wave << 1 | std::uint64_t{nothing});
    return verdict::progressed;
  }

  /// A device's first worker also speaks for its device in the tree over the devices.
  MGWS_FN verdict ask_root() {
    if ((read_device(0) & 1) != 0) return verdict::over;
    bool progressed = false;
    if (wave_ == 0) {
      wave_ = k_first_wave;
      write_device(0, wave_ << 1);
      progressed = true;
    }
    if (voted_ != wave_) {
      bool nothing = false;
      if (!vote_here(wave_, nothing)) return progressed ? verdict::progressed : verdict::running;
      device_nothing_ = nothing;
      device_voted_ = false;
    }
    if (!device_voted_) {
      bool nothing = device_nothing_;
      if (!collect(device_, devices_, wave_, nothing,
                   [&](auto child) { return read_global(1 + child); }))
        return progressed ? verdict::progressed : verdict::running;
      device_voted_ = true;
      progressed = true;
      if (device_ == 0) {
        write_global(0, (wave_ + 1) << 1 | std::uint64_t{nothing});
      } else {
        write_global(1 + device_, wave_ << 1 | std::uint64_t{nothing});
      }
    }
    const std::uint64_t next = read_global(0);
    if (next >> 1 <= wave_) return progressed ? verdict::progressed : verdict::running;
    wave_ = next >> 1;
    write_device(0, next);
    return (next & 1) != 0 ? verdict::over : verdict::progressed;
  }

  const V* view_;
  std::uint32_t device_;
  std::uint32_t rank_;
  std::uint32_t workers_;
  std::uint32_t devices_;
  std::uint64_t given_ = 0;  ///< slots that left this worker's queue, when it became passive
  std::uint64_t given_at_vote_ = 0;  ///< the same, at its last vote
  std::uint64_t voted_ = 0;          ///< wave of its last vote
  std::uint64_t wave_ = 0;           ///< roots: the device's wave
  bool device_nothing_ = false;      ///< roots: the device's vote in this wave
  bool device_voted_ = true;         ///< roots: whether that vote was passed on
};

}  // namespace mgws
