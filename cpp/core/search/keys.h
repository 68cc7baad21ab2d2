// What queues sort states by.
//
// To add a key: name it in Key, describe it in KEYS, and give it its value in search.cc. The command line, the
// documentation and the checks of configurations take letters and meanings from here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sing {

enum class Key : std::uint8_t { ESTIMATE, OPEN_GOALS, NOVELTY, DEPTH, PREFERENCE, LANDMARKS };

struct KeyDescription {
    Key key;
    char letter;  // in the texts that name a queue, such as "noh"
    std::string_view meaning;
};

// Values are 0 or more, and smaller for the better state.
inline constexpr KeyDescription KEYS[] = {
    {Key::ESTIMATE, 'h', "the heuristic's estimate"},
    {Key::OPEN_GOALS, 'o', "the number of open goals"},
    {Key::NOVELTY, 'n', "0 for a state that is novel among states of equal h and o, else 1"},
    {Key::DEPTH, 'd', "the number of steps from the initial state"},
    {Key::PREFERENCE, 'p', "0 where the heuristic prefers the operator that led here, else 1"},
    {Key::LANDMARKS, 'l', "o, and the number of facts that landmarks need again"},
};

// The keys of one state.
class Keys {
public:
    std::int32_t& operator[](Key key) { return values_[static_cast<std::size_t>(key)]; }
    std::int32_t operator[](Key key) const { return values_[static_cast<std::size_t>(key)]; }

private:
    std::array<std::int32_t, std::size(KEYS)> values_{};
};

}  // namespace sing
