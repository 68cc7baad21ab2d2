#include "translate/part_mappings.h"

#include <algorithm>

namespace sing::translate {
namespace {

// Places in the deleted atom that have one term, and what can stand there, in all orders.
struct Factor {
    std::vector<std::size_t> places;
    std::vector<std::vector<std::int32_t>> orders;
};

// All orders, in that of positions, as Python's itertools has them.
std::vector<std::vector<std::int32_t>> permutations(const std::vector<std::int32_t>& items, const Guard& guard) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<std::vector<std::int32_t>> result;
    do {
        guard.poll(1);
        guard.take(sizeof(std::vector<std::int32_t>) + items.size() * sizeof(std::int32_t));
        std::vector<std::int32_t>& permuted = result.emplace_back();
        for (std::size_t i : order) permuted.push_back(items[i]);
    } while (std::ranges::next_permutation(order).found);
    return result;
}

}  // namespace

void for_mappings(std::span<const std::int32_t> part, std::span<const TermId> added, std::span<const TermId> deleted,
                  const Guard& guard, const std::function<void(std::vector<std::int32_t>)>& on_arguments) {
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
        std::vector<std::int32_t> parameters;
        for (std::size_t i = 0; i < added.size(); ++i)
            if (part[i] != COUNTED && added[i] == deleted[first]) parameters.push_back(part[i]);
        if (parameters.size() + 1 == factor.places.size() && may_count) {
            parameters.push_back(COUNTED);
            may_count = false;
        }
        if (parameters.size() != factor.places.size()) return;
        factor.orders = permutations(parameters, guard);
        factors.push_back(std::move(factor));
    }
    // All combinations; the last factor changes fastest.
    std::vector<std::size_t> choice(factors.size(), 0);
    while (true) {
        guard.poll(1);
        std::vector<std::int32_t> arguments(deleted.size());
        for (std::size_t i = 0; i < factors.size(); ++i)
            for (std::size_t j = 0; j < factors[i].places.size(); ++j)
                arguments[factors[i].places[j]] = factors[i].orders[choice[i]][j];
        on_arguments(std::move(arguments));
        std::size_t i = choice.size();
        while (i > 0 && ++choice[i - 1] == factors[i - 1].orders.size()) choice[--i] = 0;
        if (i == 0) return;
    }
}

}  // namespace sing::translate
