#include "symmetries/interchangeable_objects.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/csr.h"
#include "base/rng.h"
#include "symmetries/named_parts.h"

namespace sing {
namespace {

// A group of objects that look alike may hold so many classes; more of them are not told apart.
constexpr std::size_t MAX_CLASSES_OF_GROUP = 8;

struct OutOfWork {};

class Finder {
public:
    Finder(const Task& task, std::size_t max_work, const Guard& guard)
        : task_(task),
          work_left_(max_work),
          guard_(guard),
          fact_id_(task),
          words_(guard),
          facts_(guard),
          operators_(guard),
          facts_of_(guard.memory()),
          operators_of_(guard.memory()),
          variable_of_(guard.memory()),
          is_goal_(fact_id_.num_facts(), 0, guard.memory()),
          image_(guard.memory()) {}

    InterchangeableObjects find() {
        InterchangeableObjects found;
        std::vector<std::vector<Word>> classes;
        try {
            read_facts();
            std::vector<Word> candidates = alike_in_facts();
            if (!candidates.empty()) {
                read_operators(candidates);
                classes = find_classes(candidates);
            }
        } catch (const OutOfWork&) {
            classes = std::move(classes_);
        }
        choose(std::move(classes), found);
        return found;
    }

private:
    using Profile = std::pair<std::uint64_t, Word>;  // what an object looks like; the object

    void spend(std::size_t work) {
        guard_.poll(work);
        if (work > work_left_) throw OutOfWork();
        work_left_ -= work;
    }

    // "Atom at(ball1, rooma)", "NegatedAtom at(ball1, rooma)"; anything else is no name.
    void read_fact_name(std::string_view name, std::vector<Word>& row) {
        row.clear();
        const std::size_t open = name.find('(');
        if (open == std::string_view::npos || !name.ends_with(')')) return;
        if (!name.starts_with("Atom ") && !name.starts_with("NegatedAtom ")) return;
        row.push_back(words_(name.substr(0, open)));
        std::string_view rest = name.substr(open + 1, name.size() - open - 2);
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(", "), rest.size());
            row.push_back(words_(rest.substr(0, comma)));
            rest.remove_prefix(std::min(comma + 2, rest.size()));
        }
    }

    void read_operator_name(std::string_view name, std::vector<Word>& row) {
        row.clear();
        while (!name.empty()) {
            const std::size_t space = std::min(name.find(' '), name.size());
            row.push_back(words_(name.substr(0, space)));
            name.remove_prefix(std::min(space + 1, name.size()));
        }
    }

    void read_facts() {
        std::vector<Word> row;
        std::pmr::vector<std::pair<Word, FactId>> pairs(guard_.memory());
        for (std::int32_t variable = 0; const Variable& each : task_.variables) {
            for (const std::string& name : each.value_names) {
                read_fact_name(name, row);
                const auto fact = static_cast<FactId>(facts_.size());
                facts_.add(row);
                variable_of_.push_back(variable);
                for (Word object : facts_.objects(fact)) pairs.emplace_back(object, fact);
                spend(1 + row.size());
            }
            ++variable;
        }
        for (const Fact& fact : task_.goal) is_goal_[fact_id_(fact)] = 1;
        num_fact_words_ = words_.size();
        facts_of_ = Csr<FactId>::from_pairs(num_fact_words_, pairs, guard_.memory());
        image_.assign(facts_.size(), 0);
        for (FactId fact = 0; fact < image_.size(); ++fact) image_[fact] = fact;
    }

    // Objects that name the same facts as another object, but for the name, and the same of them as goals.
    std::vector<Word> alike_in_facts() {
        std::vector<Profile> profiles;
        for (Word object = 0; object < num_fact_words_; ++object) {
            if (facts_of_[object].empty()) continue;
            std::uint64_t profile = 0;
            for (FactId fact : facts_of_[object])
                profile += (is_goal_[fact] ? 3 : 1) * Names::hash(facts_[fact], object);
            spend(4 * facts_of_[object].size());
            profiles.emplace_back(profile, object);
        }
        return with_equals(profiles);
    }

    static std::vector<Word> with_equals(std::vector<Profile>& profiles) {
        std::ranges::sort(profiles);
        std::vector<Word> objects;
        for_each_group(profiles, [&](std::span<const Profile> group) {
            if (group.size() > 1)
                for (const Profile& each : group) objects.push_back(each.second);
        });
        return objects;
    }

    template <typename Visitor>
    static void for_each_group(std::span<const Profile> profiles, Visitor visit) {
        for (std::size_t begin = 0, end = 0; begin < profiles.size(); begin = end) {
            while (end < profiles.size() && profiles[end].first == profiles[begin].first) ++end;
            visit(profiles.subspan(begin, end - begin));
        }
    }

    void read_operators(std::vector<Word>& candidates) {
        std::vector<Word> row;
        std::pmr::vector<std::pair<Word, std::uint32_t>> pairs(guard_.memory());
        std::vector<char> is_out(num_fact_words_, 1);
        for (Word object : candidates) is_out[object] = 0;
        std::vector<std::uint64_t> profiles(num_fact_words_, 0);
        const std::vector<std::vector<Word>> owners = owners_of_variables();
        for (std::uint32_t i = 0; i < task_.operators.size(); ++i) {
            const Operator& op = task_.operators[i];
            read_operator_name(op.name, row);
            operators_.add(row);
            const std::span<const Word> objects = operators_.objects(i);
            for (std::size_t position = 0; position < objects.size(); ++position) {
                const Word object = objects[position];
                if (object >= num_fact_words_ || is_out[object]) continue;
                profiles[object] += Rng(row.front() ^ (std::uint64_t{position + 1} << 32)).next();
                if (std::ranges::find(objects.first(position), object) == objects.first(position).end())
                    pairs.emplace_back(object, i);
            }
            // What an operator does to an object that it does not name cannot be told by names.
            const auto drop_unnamed = [&](Fact fact) {
                const FactId id = fact_id_(fact);
                const std::span<const Word> named =
                    facts_[id].empty() ? std::span<const Word>(owners[static_cast<std::size_t>(fact.variable)])
                                       : facts_.objects(id);
                for (Word object : named)
                    if (std::ranges::find(objects, object) == objects.end()) is_out[object] = 1;
            };
            for (const Fact& fact : op.preconditions) drop_unnamed(fact);
            for (const Effect& effect : op.effects) drop_unnamed(effect.fact);
            spend(1 + row.size() + op.preconditions.size() + op.effects.size());
        }
        operators_of_ = Csr<std::uint32_t>::from_pairs(num_fact_words_, pairs, guard_.memory());
        std::vector<Profile> left;
        for (Word object : candidates) {
            std::uint64_t profile = profiles[object];
            for (FactId fact : facts_of_[object])
                profile += (is_goal_[fact] ? 3 : 1) * Names::hash(facts_[fact], object);
            if (!is_out[object]) left.emplace_back(profile, object);
        }
        candidates = with_equals(left);
        profiles_ = std::move(left);
    }

    // The objects that all named facts of a variable name: what its last value, "none of those", is about.
    std::vector<std::vector<Word>> owners_of_variables() const {
        std::vector<std::vector<Word>> owners(task_.variables.size());
        std::vector<char> is_first(task_.variables.size(), 1);
        for (FactId fact = 0; fact < facts_.size(); ++fact) {
            if (facts_[fact].empty()) continue;
            const auto variable = static_cast<std::size_t>(variable_of_[fact]);
            const std::span<const Word> objects = facts_.objects(fact);
            if (std::exchange(is_first[variable], 0)) {
                owners[variable].assign(objects.begin(), objects.end());
                continue;
            }
            std::erase_if(owners[variable],
                          [&](Word object) { return std::ranges::find(objects, object) == objects.end(); });
        }
        return owners;
    }

    std::vector<std::vector<Word>> find_classes(const std::vector<Word>& candidates) {
        std::vector<char> is_candidate(num_fact_words_, 0);
        for (Word object : candidates) is_candidate[object] = 1;
        for_each_group(profiles_, [&](std::span<const Profile> group) {
            if (!is_candidate[group.front().second]) return;
            const std::size_t first = classes_.size();
            for (const auto& [profile, object] : group) {
                const auto same = std::find_if(
                    classes_.begin() + static_cast<std::ptrdiff_t>(first), classes_.end(),
                    [&, object = object](const std::vector<Word>& each) { return can_swap(each.front(), object); });
                if (same != classes_.end())
                    same->push_back(object);
                else if (classes_.size() - first < MAX_CLASSES_OF_GROUP)
                    classes_.push_back({object});
            }
        });
        return std::move(classes_);
    }

    // Whether the task is the same with the names of two objects exchanged.
    bool can_swap(Word a, Word b) {
        moved_.clear();
        const bool can = map_facts(a, b) && map_values(a, b) && keeps_operators(a, b);
        for (FactId fact : moved_) image_[fact] = fact;
        return can;
    }

    bool map_facts(Word a, Word b) {
        variables_.clear();
        for (Word object : {a, b}) {
            for (FactId fact : facts_of_[object]) {
                const std::optional<std::uint32_t> other = facts_.swapped(fact, a, b);
                if (!other || is_goal_[fact] != is_goal_[*other]) return false;
                move(fact, *other);
                const auto [entry, is_new] = variables_.try_emplace(variable_of_[fact], variable_of_[*other]);
                if (entry->second != variable_of_[*other]) return false;
            }
            spend(4 * facts_of_[object].size());
        }
        return true;
    }

    void move(FactId fact, FactId other) {
        image_[fact] = other;
        moved_.push_back(fact);
    }

    // Variables must become variables, value for value.
    bool map_values(Word a, Word b) {
        for (const auto& [variable, other] : variables_) {
            const auto back = variables_.find(other);
            if (back == variables_.end() || back->second != variable) return false;
            if (variable != other && !map_values(variable, other, a, b)) return false;
        }
        return true;
    }

    // All named values of one variable must name a, and all of the other one b, or the other way round. The names of
    // the values were compared already.
    bool map_values(std::int32_t variable, std::int32_t other, Word a, Word b) {
        const Value size = task_.variables[static_cast<std::size_t>(variable)].domain_size();
        if (task_.variables[static_cast<std::size_t>(other)].domain_size() != size) return false;
        spend(static_cast<std::size_t>(size));
        Value num_named = 0, num_a = 0, num_b = 0;
        for (Value value = 0; value < size; ++value) {
            const FactId fact = fact_id_({variable, value});
            num_named += !facts_[fact].empty();
            num_a += names(fact, a);
            num_b += names(fact, b);
        }
        if (std::max(num_a, num_b) != num_named || std::min(num_a, num_b) != 0) return false;
        if (num_named == size) return true;
        const FactId unnamed = unnamed_value(variable), image = unnamed_value(other);
        move(unnamed, image);
        return num_named + 1 == size && facts_[image].empty() && is_goal_[unnamed] == is_goal_[image];
    }

    bool names(FactId fact, Word object) const {
        return std::ranges::find(facts_.objects(fact), object) != facts_.objects(fact).end();
    }

    // The first one; the last value where all have names.
    FactId unnamed_value(std::int32_t variable) const {
        const Value last = task_.variables[static_cast<std::size_t>(variable)].domain_size() - 1;
        for (Value value = 0; value < last; ++value)
            if (const FactId fact = fact_id_({variable, value}); facts_[fact].empty()) return fact;
        return fact_id_({variable, last});
    }

    bool keeps_operators(Word a, Word b) {
        for (Word object : {a, b}) {
            for (std::uint32_t op : operators_of_[object]) {
                const std::optional<std::uint32_t> other = operators_.swapped(op, a, b);
                if (!other || !becomes(task_.operators[op], task_.operators[*other])) return false;
            }
        }
        return true;
    }

    // Whether an operator with its facts exchanged is another one.
    bool becomes(const Operator& op, const Operator& other) {
        if (op.cost != other.cost || op.preconditions.size() != other.preconditions.size() ||
            op.effects.size() != other.effects.size())
            return false;
        spend(4 + 4 * (op.preconditions.size() + op.effects.size()));
        images_.clear(), others_.clear();
        for (const Fact& fact : op.preconditions) images_.push_back(image_[fact_id_(fact)]);
        for (const Fact& fact : other.preconditions) others_.push_back(fact_id_(fact));
        if (!equal_as_sets()) return false;
        images_.clear(), others_.clear();
        for (const Effect& effect : op.effects) images_.push_back(image_[fact_id_(effect.fact)]);
        for (const Effect& effect : other.effects) others_.push_back(fact_id_(effect.fact));
        return equal_as_sets();
    }

    bool equal_as_sets() {
        std::ranges::sort(images_);
        std::ranges::sort(others_);
        return images_ == others_;
    }

    // Largest classes first, those that no fact connects with another chosen one or within.
    void choose(std::vector<std::vector<Word>> classes, InterchangeableObjects& found) const {
        std::erase_if(classes, [](const auto& each) { return each.size() < 2; });
        for (auto& each : classes) std::ranges::sort(each);
        std::ranges::sort(classes, [](const auto& one, const auto& other) {
            return std::pair(other.size(), one.front()) < std::pair(one.size(), other.front());
        });
        if (classes.empty()) return;
        guard_.take(facts_.size() * (sizeof(std::uint32_t) + sizeof(std::uint64_t)));
        found.object_of.assign(facts_.size(), InterchangeableObjects::NONE);
        found.key_of.reserve(facts_.size());
        for (FactId fact = 0; fact < facts_.size(); ++fact)
            found.key_of.push_back(facts_[fact].empty() ? 0 : Rng(fact).next());
        std::vector<char> is_chosen(words_.size(), 0);
        for (const auto& each : classes) {
            for (Word object : each) is_chosen[object] = 1;
            const bool is_apart = std::ranges::all_of(each, [&](Word object) {
                return std::ranges::all_of(facts_of_[object], [&](FactId fact) {
                    return std::ranges::count_if(facts_.objects(fact), [&](Word word) { return is_chosen[word]; }) == 1;
                });
            });
            if (is_apart)
                add_class(each, found);
            else
                for (Word object : each) is_chosen[object] = 0;
        }
    }

    void add_class(const std::vector<Word>& objects, InterchangeableObjects& found) const {
        const auto number = static_cast<std::uint32_t>(found.classes.size());
        found.classes.emplace_back();
        for (Word object : objects) {
            for (FactId fact : facts_of_[object]) {
                found.object_of[fact] = static_cast<std::uint32_t>(found.class_of.size());
                found.key_of[fact] = Names::hash(facts_[fact], object);
            }
            found.classes.back().emplace_back(words_.text(object));
            found.class_of.push_back(number);
            guard_.poll(facts_of_[object].size());
        }
    }

    const Task& task_;
    std::size_t work_left_;
    const Guard& guard_;
    FactIndex fact_id_;
    Vocabulary words_;
    std::size_t num_fact_words_ = 0;  // words of facts come first
    Names facts_, operators_;
    Csr<FactId> facts_of_;             // by object
    Csr<std::uint32_t> operators_of_;  // by object
    std::pmr::vector<std::int32_t> variable_of_;
    std::pmr::vector<char> is_goal_;
    std::vector<Profile> profiles_;  // of the candidates, sorted
    std::vector<std::vector<Word>> classes_;
    // Of the exchange that is looked at: which fact each becomes, which facts become others, and variables.
    std::pmr::vector<FactId> image_;
    std::vector<FactId> moved_;
    std::map<std::int32_t, std::int32_t> variables_;
    std::vector<FactId> images_, others_;  // scratch
};

}  // namespace

InterchangeableObjects find_interchangeable_objects(const Task& task, std::size_t max_work, const Guard& guard) {
    if (!task.has_fixed_effects()) return {};
    return Finder(task, max_work, guard).find();
}

}  // namespace sing
