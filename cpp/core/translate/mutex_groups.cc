#include "translate/mutex_groups.h"
namespace sing::translate {
AtomGroups find_mutex_groups(const pddl::Problem&, const Reachability&, const Atoms&, const Guard& guard) {
    return AtomGroups(guard.memory());
}
}
