#include "symmetries/interchangeable_objects.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/csr.h"
#include "base/rng.h"
#include "symmetries/exchange.h"
#include "symmetries/named_parts.h"

namespace sing {
namespace {

// A group of objects that look alike may hold so many classes; more of them are not told apart.
constexpr std::size_t MAX_CLASSES_OF_GROUP = 8;

class Finder {
public:
    Finder(const Task& task, std::size_t max_work, const Guard& guard)
        : task_(task),
          guard_(guard),
          limit_(max_work, guard),
          named_(task, guard),
          profile_of_(guard.memory()),
          profiles_(guard.memory()) {}

    InterchangeableObjects find() {
        try {
            read_facts();
            const std::vector<Word> candidates = alike_in_facts();
            if (!candidates.empty()) {
                read_operators(candidates);
                find_classes();
            }
        } catch (const WorkLimit::Reached&) {
            return chosen();  // what was found so far is right
        }
        return chosen();
    }

private:
    using Profile = std::pair<std::uint64_t, Word>;  // what an object looks like; the object

    void read_facts() {
        std::vector<Word> row;
        std::pmr::vector<std::pair<Word, FactId>> pairs(guard_.memory());
        for (std::int32_t variable = 0; const Variable& each : task_.variables) {
            for (const std::string& name : each.value_names) {
                named_.words.read_fact(name, row);
                const auto fact = static_cast<FactId>(named_.facts.size());
                named_.facts.add(row);
                named_.variable_of.push_back(variable);
                for (Word object : named_.facts.objects(fact)) pairs.emplace_back(object, fact);
                limit_.spend(1 + row.size());
            }
            ++variable;
        }
        named_.num_fact_words = named_.words.size();
        named_.facts_of = Csr<FactId>::from_pairs(named_.num_fact_words, pairs, guard_.memory());
    }

    // Objects that name the same facts as another object, but for the name, and the same of them as goals.
    std::vector<Word> alike_in_facts() {
        profile_of_.assign(named_.num_fact_words, 0);
        std::pmr::vector<Profile> profiles(guard_.memory());
        for (Word object = 0; object < named_.num_fact_words; ++object) {
            if (named_.facts_of[object].empty()) continue;
            for (FactId fact : named_.facts_of[object]) {
                profile_of_[object] += (named_.is_goal[fact] ? 3 : 1) * Names::hash(named_.facts[fact], object);
                limit_.spend(named_.facts[fact].size());
            }
            profiles.emplace_back(profile_of_[object], object);
        }
        std::ranges::sort(profiles);
        std::vector<Word> objects;
        for_each_group(profiles, [&](std::span<const Profile> group) {
            for (const Profile& each : group) objects.push_back(each.second);
        });
        return objects;
    }

    // Groups of two and more that look alike; profiles are sorted.
    template <typename Visitor>
    static void for_each_group(std::span<const Profile> profiles, Visitor visit) {
        for (std::size_t begin = 0, end = 0; begin < profiles.size(); begin = end) {
            while (end < profiles.size() && profiles[end].first == profiles[begin].first) ++end;
            if (end - begin > 1) visit(profiles.subspan(begin, end - begin));
        }
    }

    // Objects stay candidates where they are in operators of the same actions at the same places.
    void read_operators(std::span<const Word> candidates) {
        std::vector<Word> row;
        std::pmr::vector<std::pair<Word, std::uint32_t>> pairs(guard_.memory());
        std::pmr::vector<char> is_out(named_.num_fact_words, 1, guard_.memory());
        for (Word object : candidates) is_out[object] = 0;
        const std::vector<std::vector<Word>> owners = owners_of_variables();
        for (std::uint32_t i = 0; i < task_.operators.size(); ++i) {
            const Operator& op = task_.operators[i];
            named_.words.read_operator(op.name, row);
            named_.operators.add(row);
            limit_.spend((1 + row.size() + op.preconditions.size() + op.effects.size()) * (1 + row.size() / 8));
            const std::span<const Word> objects = named_.operators.objects(i);
            for (std::size_t position = 0; position < objects.size(); ++position) {
                const Word object = objects[position];
                if (object >= named_.num_fact_words || is_out[object]) continue;
                profile_of_[object] += Rng(row.front() ^ (std::uint64_t{position + 1} << 32)).next();
                if (std::ranges::find(objects.first(position), object) == objects.first(position).end())
                    pairs.emplace_back(object, i);
            }
            // What an operator does to an object that it does not name cannot be told by names.
            const auto drop_unnamed = [&](Fact fact) {
                const FactId id = named_.fact_id(fact);
                const std::span<const Word> named =
                    named_.facts[id].empty() ? std::span<const Word>(owners[static_cast<std::size_t>(fact.variable)])
                                             : named_.facts.objects(id);
                for (Word object : named)
                    if (std::ranges::find(objects, object) == objects.end()) is_out[object] = 1;
            };
            for (const Fact& fact : op.preconditions) drop_unnamed(fact);
            for (const Effect& effect : op.effects) drop_unnamed(effect.fact);
        }
        named_.operators_of = Csr<std::uint32_t>::from_pairs(named_.num_fact_words, pairs, guard_.memory());
        for (Word object : candidates)
            if (!is_out[object]) profiles_.emplace_back(profile_of_[object], object);
        std::ranges::sort(profiles_);
    }

    // The objects that all named facts of a variable name: what its last value, "none of those", is about.
    std::vector<std::vector<Word>> owners_of_variables() const {
        guard_.take(task_.variables.size() * (sizeof(std::vector<Word>) + 1));
        std::vector<std::vector<Word>> owners(task_.variables.size());
        std::vector<char> is_first(task_.variables.size(), 1);
        for (FactId fact = 0; fact < named_.facts.size(); ++fact) {
            if (named_.facts[fact].empty()) continue;
            const auto variable = static_cast<std::size_t>(named_.variable_of[fact]);
            const std::span<const Word> objects = named_.facts.objects(fact);
            if (std::exchange(is_first[variable], 0)) {
                owners[variable].assign(objects.begin(), objects.end());
                continue;
            }
            std::erase_if(owners[variable],
                          [&](Word object) { return std::ranges::find(objects, object) == objects.end(); });
        }
        return owners;
    }

    void find_classes() {
        Exchange exchange(task_, named_, limit_, guard_);
        for_each_group(profiles_, [&](std::span<const Profile> group) {
            const std::size_t first = classes_.size();
            for (const auto& [profile, object] : group) {
                const auto same = std::find_if(classes_.begin() + static_cast<std::ptrdiff_t>(first), classes_.end(),
                                               [&, object = object](const std::vector<Word>& each) {
                                                   return exchange.keeps_task(each.front(), object);
                                               });
                guard_.take(sizeof(Word));
                if (same != classes_.end())
                    same->push_back(object);
                else if (classes_.size() - first < MAX_CLASSES_OF_GROUP)
                    classes_.push_back({object});
            }
        });
    }

    // Largest classes first, those that no fact connects with another chosen one or within.
    InterchangeableObjects chosen() {
        InterchangeableObjects found;
        std::erase_if(classes_, [](const auto& each) { return each.size() < 2; });
        if (classes_.empty()) return found;
        for (auto& each : classes_) std::ranges::sort(each);
        std::ranges::sort(classes_, [](const auto& one, const auto& other) {
            return std::pair(other.size(), one.front()) < std::pair(one.size(), other.front());
        });
        set_keys(found);
        std::pmr::vector<char> is_chosen(named_.words.size(), 0, guard_.memory());
        for (const auto& each : classes_) {
            for (Word object : each) is_chosen[object] = 1;
            const bool is_apart = std::ranges::all_of(each, [&](Word object) {
                return std::ranges::all_of(named_.facts_of[object], [&](FactId fact) {
                    return std::ranges::count_if(named_.facts.objects(fact),
                                                 [&](Word word) { return is_chosen[word]; }) == 1;
                });
            });
            if (is_apart)
                add_class(each, found);
            else
                for (Word object : each) is_chosen[object] = 0;
        }
        return found;
    }

    // As if no object were chosen.
    void set_keys(InterchangeableObjects& found) const {
        guard_.take(named_.facts.size() * (sizeof(std::uint32_t) + sizeof(std::uint64_t)));
        found.object_of.assign(named_.facts.size(), InterchangeableObjects::NONE);
        found.key_of.reserve(named_.facts.size());
        std::pmr::vector<std::uint32_t> num_unnamed(task_.variables.size(), 0, guard_.memory());
        for (FactId fact = 0; fact < named_.facts.size(); ++fact)
            num_unnamed[static_cast<std::size_t>(named_.variable_of[fact])] += named_.facts[fact].empty();
        for (FactId fact = 0; fact < named_.facts.size(); ++fact) {
            const bool is_none =
                named_.facts[fact].empty() && num_unnamed[static_cast<std::size_t>(named_.variable_of[fact])] == 1;
            found.key_of.push_back(is_none ? 0 : Rng(fact).next());
        }
    }

    void add_class(const std::vector<Word>& objects, InterchangeableObjects& found) const {
        const auto number = static_cast<std::uint32_t>(found.classes.size());
        found.classes.emplace_back();
        for (Word object : objects) {
            for (FactId fact : named_.facts_of[object]) {
                found.object_of[fact] = static_cast<std::uint32_t>(found.class_of.size());
                found.key_of[fact] = Names::hash(named_.facts[fact], object);
            }
            guard_.take(sizeof(std::string) + named_.words.text(object).size() + sizeof(std::uint32_t));
            found.classes.back().emplace_back(named_.words.text(object));
            found.class_of.push_back(number);
            guard_.poll(named_.facts_of[object].size());
        }
    }

    const Task& task_;
    const Guard& guard_;
    WorkLimit limit_;
    NamedTask named_;
    std::pmr::vector<std::uint64_t> profile_of_;  // by object: what it looks like
    std::pmr::vector<Profile> profiles_;          // of the candidates, sorted
    std::vector<std::vector<Word>> classes_;
};

}  // namespace

InterchangeableObjects find_interchangeable_objects(const Task& task, std::size_t max_work, const Guard& guard) {
    if (!task.has_fixed_effects()) return {};
    return Finder(task, max_work, guard).find();
}

}  // namespace sing
