/// \file
/// mgws-peer-gpu md: what the kernels' side offers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "md/forces.hpp"
#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {

enum class md_form : std::uint8_t {
  launch,  ///< a block for each task, in one launch: of each GPU one part of the tasks
  chunks,  ///< a launch for each chunk; a GPU gets the next one when it has done its last one
  counter  ///< as many blocks as are resident; each takes the next task of its GPU's part
};

/// A thread of a block for each atom of a task.
inline constexpr std::uint32_t k_atoms_of_task = 128;

/// Atoms in the memories of GPUs, a copy in each.
class md_on_gpus {
 public:
  /// \param all      in the host's memory
  /// \param cells    of `all`
  /// \param targets  all atoms, in the order of the tasks
  /// \param first    number of the first GPU, of so many
  md_on_gpus(const md::neighbourhood& all, std::size_t cells, const std::vector<md::atom>& targets,
             std::uint32_t first, std::uint32_t gpus);
  ~md_on_gpus();

  /// After each run: what the atoms have received, and how many did something to another one.
  using look = std::function<void(const std::vector<md::pull>& found, std::uint64_t neighbours)>;

  /// \param chunk  atoms, a multiple of those of a task
  /// \return seconds: of one GPU by its clock, of several by the host's until all are done
  std::vector<double> run(md_form form, std::uint32_t chunk, repetitions times, const look& seen);

 private:
  struct memory;
  std::unique_ptr<memory> memory_;
};

}  // namespace mgws::bench::peers::gpu
