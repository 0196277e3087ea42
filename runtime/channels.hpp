/// \file
/// The channels of a bridge between coherence domains (core/bridge.hpp), as the host lays them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mgws/core/run.hpp>

namespace mgws {

/// From each domain to each, in memory that all reach and that is somebody else's.
/// \tparam Head  a channel_head: the same bytes for the backend of every domain
template <class Head>
class bridge_channels {
 public:
  /// What they take: the heads, then the slots. \param capacity  slots of a channel
  [[nodiscard]] static std::size_t bytes(std::size_t domains, std::uint32_t capacity,
                                         std::size_t slot_bytes) {
    return domains * domains * (sizeof(Head) + capacity * slot_bytes);
  }

  bridge_channels() = default;
  /// \param at  so many bytes, aligned as a Head
  bridge_channels(std::byte* at, std::size_t domains, std::uint32_t capacity,
                  std::size_t slot_bytes)
      : domains_(domains) {
    const std::size_t n = domains * domains;
    for (std::size_t c = 0; c != n; ++c)
      channels_.push_back(
          {at + c * sizeof(Head), at + n * sizeof(Head) + c * capacity * slot_bytes});
  }

  /// From a to b at a * domains + b.
  [[nodiscard]] std::span<const bridge_channel> all() const { return channels_; }

  /// Before a run.
  void reset() const {
    for (const bridge_channel& c : channels_)
      std::construct_at(static_cast<Head*>(c.head));
  }

  /// Whether all that came to a domain has ended: it waits for others.
  [[nodiscard]] bool rests(std::size_t domain) const {
    for (std::size_t from = 0; from != domains_; ++from) {
      if (from == domain) continue;
      const auto& inbox = static_cast<const Head*>(channels_[from * domains_ + domain].head)->inbox;
      if (!Head::all_ended(inbox)) return false;
    }
    return true;
  }

 private:
  std::size_t domains_ = 0;
  std::vector<bridge_channel> channels_;
};

}  // namespace mgws
