/// \file
/// Memory orders and scopes as types, so that each call site says which it asks for and a backend
/// that lacks one fails to compile instead of weakening it.
///
/// There is no seq_cst: no step of the protocol needs it (see protocol.hpp), and on a GPU it costs
/// a fence on both sides of every operation.
#pragma once

namespace mgws {

/// What an operation says of other memory than its object.
namespace order {
/// Nothing.
struct relaxed_t {};
/// What follows it sees what came before the release that wrote the value it has read.
struct acquire_t {};
/// What came before it is seen by what follows an acquire that reads its value.
struct release_t {};
/// Both: of an operation that reads and writes.
struct acq_rel_t {};
inline constexpr relaxed_t relaxed{};
inline constexpr acquire_t acquire{};
inline constexpr release_t release{};
inline constexpr acq_rel_t acq_rel{};
}  // namespace order

/// Who can observe an operation. A transport chooses one scope for each kind of object and keeps it
/// for the whole run: reaching one object at two scopes is hazard 28.
namespace scope {
/// The workers of one device.
struct device_t {};
/// Every worker of the coherence domain, and the host.
struct system_t {};
inline constexpr device_t device{};
inline constexpr system_t system{};
}  // namespace scope

}  // namespace mgws
