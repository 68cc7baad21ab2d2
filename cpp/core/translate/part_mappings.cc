#include "translate/part_mappings.h"

#include <algorithm>

namespace sing::translate {
namespace {

// Places in the deleted atom that have one term, and what stands there.
struct Factor {
    std::vector<std::size_t> places;
    std::vector<std::int32_t> parameters;
    std::vector<std::size_t> order;  // positions of parameters, in the order of the places
};

}  // namespace

void for_mappings(std::span<const std::int32_t> part, std::span<const TermId> added, std::span<const TermId> deleted,
                  const Guard& guard, const std::function<bool(std::vector<std::int32_t>)>& on_arguments) {
    const std::size_t arity = part.size() - static_cast<std::size_t>(std::ranges::count(part, COUNTED));
    if (deleted.size() < arity || deleted.size() > arity + 1) return;
    bool may_count = deleted.size() > arity;
    std::vector<Factor> factors;
    for (std::size_t first = 0; first < deleted.size(); ++first) {
        if (std::ranges::find(deleted.first(first), deleted[first]) !=
            deleted.begin() + static_cast<std::ptrdiff_t>(first))
            continue;
        Factor factor;
        for (std::size_t i = first; i < deleted.size(); ++i)
            if (deleted[i] == deleted[first]) factor.places.push_back(i);
        std::vector<std::int32_t>& parameters = factor.parameters;
        for (std::size_t i = 0; i < added.size(); ++i)
            if (part[i] != COUNTED && added[i] == deleted[first]) parameters.push_back(part[i]);
        if (parameters.size() + 1 == factor.places.size() && may_count) {
            parameters.push_back(COUNTED);
            may_count = false;
        }
        if (parameters.size() != factor.places.size()) return;
        for (std::size_t i = 0; i < parameters.size(); ++i) factor.order.push_back(i);
        factors.push_back(std::move(factor));
    }
    // All orders of all factors, in the order in which Python's itertools has them: the last factor changes fastest.
    while (true) {
        guard.poll(1);
        std::vector<std::int32_t> arguments(deleted.size());
        for (const Factor& factor : factors)
            for (std::size_t i = 0; i < factor.places.size(); ++i)
                arguments[factor.places[i]] = factor.parameters[factor.order[i]];
        if (!on_arguments(std::move(arguments))) return;
        std::size_t i = factors.size();
        while (i > 0 && !std::ranges::next_permutation(factors[i - 1].order).found) --i;
        if (i == 0) return;
    }
}

}  // namespace sing::translate
