/// \file
/// What the tests ask of a GPU's probe; compiled by the GPU's compiler.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/options.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/transports/row.hpp>

namespace gpu_test {

/// As mgws::probe.
mgws::probe_report run_probe(const std::vector<mgws::device_choice>& devices, bool quick);

/// What is wrong with the participants of a planted fault.
enum class planted : std::uint32_t {
  nothing,
  torn_words,    ///< read-modify-writes are a read and then a write
  open_lock,     ///< everybody gets the lock
  early_release  ///< a message is announced before it is there
};
/// Two blocks of GPU 0 in its own memory.
std::array<mgws::litmus_outcome, mgws::k_litmuses> run_planted(planted what);

/// One block of GPU 0 whose partner never comes.
mgws::litmus_record run_alone();

/// Why GPUs 0 to n-1 cannot share a run; empty if they can.
std::string why_not_join(std::uint32_t n, const mgws::transport_row& transport);

}  // namespace gpu_test
