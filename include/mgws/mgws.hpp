/// \file
/// Everything a program that uses mgws needs.
#pragma once

// clang-format off
#include <mgws/headers_begin.hpp>  // before all others
// clang-format on

#include <mgws/atomic_ref.hpp>
#include <mgws/best.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>
#include <mgws/graph.hpp>
#include <mgws/live.hpp>
#include <mgws/memory.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime.hpp>

// clang-format off
#include <mgws/headers_end.hpp>  // behind all others
// clang-format on
