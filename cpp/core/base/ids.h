// Strong identifiers: a state and an operator can never be mixed up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sing {

// Position of a state in the StateTable, in order of registration.
enum class StateId : std::uint32_t {};
// Position of an operator in Task::operators.
enum class OperatorId : std::uint32_t {};

inline constexpr StateId NO_STATE{0xFFFF'FFFFu};
inline constexpr OperatorId NO_OPERATOR{0xFFFF'FFFFu};

constexpr std::size_t index(StateId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(OperatorId id) { return static_cast<std::size_t>(id); }

}  // namespace sing
