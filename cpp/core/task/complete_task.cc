#include "task/complete_task.h"

#include "task/derived_values.h"
#include "task/unfold_goal.h"

namespace sing {

void complete_task(Task& task, const Guard& guard) {
    DerivedValues(task, guard).complete(task.initial_state);
    unfold_goal(task, guard);
}

}  // namespace sing
