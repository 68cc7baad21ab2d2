#include "translate/types.h"

#include <utility>

namespace sing::translate {

using namespace pddl;

std::vector<std::vector<ObjectId>> objects_by_type(const Problem& problem, const Guard& guard) {
    const std::size_t num_types = problem.types.size();
    std::vector<std::vector<TypeId>> above(num_types);
    for (TypeId type = 0; type < num_types; ++type) {
        const Type& declared = problem.types[type];
        above[type].insert(above[type].end(), declared.supertypes.begin(), declared.supertypes.end());
        for (TypeId member : declared.members) above[member].push_back(type);
    }
    std::vector<std::vector<ObjectId>> objects(num_types);
    std::vector<std::vector<TypeId>> all_above(num_types);  // of types that have objects, themselves included
    std::vector<TypeId> seen_from(num_types, NONE);
    for (ObjectId object = 0; object < problem.objects.size(); ++object) {
        const TypeId type = problem.objects[object].type;
        std::vector<TypeId>& types = all_above[type];
        if (types.empty()) {
            types.push_back(type);
            // An object of "(either a b)" is one of both.
            types.insert(types.end(), problem.types[type].members.begin(), problem.types[type].members.end());
            for (TypeId each : types) seen_from[each] = type;
            for (std::size_t i = 0; i < types.size(); ++i)
                for (TypeId next : above[types[i]])
                    if (std::exchange(seen_from[next], type) != type) types.push_back(next);
        }
        guard.poll(types.size());
        guard.take(types.size() * sizeof(ObjectId));
        for (TypeId each : types) objects[each].push_back(object);
    }
    return objects;
}

}  // namespace sing::translate
