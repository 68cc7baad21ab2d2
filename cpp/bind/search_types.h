// A heuristic and a search as Python sees them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "common.h"
#include "heuristics/heuristic.h"
#include "search/beam_search.h"
#include "search/search.h"
#include "state_types.h"

namespace sing {

class PyHeuristic {
public:
    PyHeuristic(const Task& task, std::unique_ptr<Heuristic> heuristic)
        : states_(task), heuristic_(std::move(heuristic)) {}

    nb::object evaluate(const std::vector<Value>& state) {
        return to_python(heuristic_->evaluate(states_.enter(state)));
    }
    // For each operator: the estimate of the successor that it leads to, and whether the heuristic prefers it.
    std::vector<std::pair<nb::object, bool>> evaluate_successors(const std::vector<Value>& state,
                                                                 const std::vector<std::uint32_t>& operators) {
        std::vector<Estimate> estimates(operators.size());
        heuristic_->evaluate_successors(states_.successors(state, operators), estimates);
        const std::span<const std::uint8_t> preferred = heuristic_->preferred();
        std::vector<std::pair<nb::object, bool>> result;
        for (std::size_t i = 0; i < operators.size(); ++i)
            result.emplace_back(to_python(estimates[i]), !preferred.empty() && preferred[i]);
        return result;
    }
    Heuristic& get() { return *heuristic_; }

    static nb::object to_python(Estimate estimate) {
        return estimate == DEAD_END ? nb::none() : nb::object(nb::int_(estimate));
    }

private:
    PyStates states_;
    std::unique_ptr<Heuristic> heuristic_;
};

// One thread for each of the heuristics.
class PyBeamSearch {
public:
    PyBeamSearch(const Task& task, const nb::tuple& heuristics, const BeamConfig& config)
        : search_(task, pointers(heuristics), config) {}

    BeamResult run(double time_limit_s, std::size_t memory_limit_bytes, std::uint64_t max_work, Cost cost_limit,
                   const std::function<bool(const BeamStatistics&)>& progress) {
        if (std::exchange(has_run_, true)) throw std::invalid_argument("a search runs only once");
        nb::gil_scoped_release released;
        const BeamLimits limits{{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes, .work = max_work},
                                cost_limit};
        return search_.run(limits, with_signals<BeamStatistics>(progress));
    }

private:
    static std::vector<Heuristic*> pointers(const nb::tuple& heuristics) {
        std::vector<Heuristic*> pointers;
        for (const nb::handle heuristic : heuristics) pointers.push_back(&nb::cast<PyHeuristic&>(heuristic).get());
        return pointers;
    }

    BeamSearch search_;
    bool has_run_ = false;
};

class PySearch {
public:
    PySearch(const Task& task, PyHeuristic& heuristic, std::vector<std::string> queues, Ties ties, bool goal_orders,
             std::uint32_t boost, std::size_t max_links, std::uint64_t seed,
             const InterchangeableObjects* interchangeable)
        : check_(task),
          search_(task, heuristic.get(),
                  {.queues = std::move(queues),
                   .ties = ties,
                   .boost = boost,
                   .goal_orders = goal_orders,
                   .max_links = max_links,
                   .seed = seed},
                  interchangeable) {}

    const Search& get() const { return search_; }

    void start_from(std::vector<Value> state) {
        check_(state);
        search_.start_from(std::move(state));
    }

    SearchResult run(double time_limit_s, std::size_t memory_limit_bytes, std::uint64_t max_work,
                     const std::function<bool(const SearchStatistics&)>& progress) {
        if (std::exchange(has_run_, true)) throw std::invalid_argument("a search runs only once");
        nb::gil_scoped_release released;
        const SearchLimits limits{.time_s = time_limit_s, .memory_bytes = memory_limit_bytes, .work = max_work};
        return search_.run(limits, with_signals<SearchStatistics>(progress));
    }

    std::vector<Value> state(std::uint32_t id) const {
        if (id >= search_.num_states()) throw std::out_of_range("the search has no such state");
        std::vector<Value> values(search_.num_variables());
        search_.unpack(StateId{id}, values);
        return values;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (const Link& link : search_.links())
            pairs.emplace_back(static_cast<std::uint32_t>(link.from), static_cast<std::uint32_t>(link.to));
        return pairs;
    }

private:
    StateCheck check_;
    Search search_;
    bool has_run_ = false;
};

}  // namespace sing
