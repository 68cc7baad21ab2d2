// The limits of work that is done before a search, a sampling or a training can begin.
#pragma once

#include <cstddef>
#include <exception>
#include <memory_resource>
#include <new>

#include "base/deadline.h"
#include "base/memory.h"

namespace sing {

// Ends work whose deadline has passed. Whoever owns the deadline catches it.
struct WorkStopped : std::exception {
    const char* what() const noexcept override { return "the work was stopped by its deadline"; }
};

// Whatever takes time or memory by the size of a task gets a guard: its containers count with memory(), and it polls
// after every piece of work. Both throw, so that what was begun is destroyed on the way out.
class Guard {
public:
    // Both must outlive the guard, and the meter also what is made under it.
    Guard(Deadline& deadline, MemoryMeter& meter) : deadline_(&deadline), meter_(&meter) {}
    // Limits nothing.
    Guard() = default;

    std::pmr::memory_resource* memory() const { return meter_ ? meter_ : std::pmr::new_delete_resource(); }
    // Counts what containers without memory() take, for good. Throws std::bad_alloc at the limit.
    void take(std::size_t bytes) const {
        if (meter_ && !meter_->try_take(bytes)) throw std::bad_alloc();
    }
    // Throws WorkStopped where the deadline has passed, after so many units of work. A unit takes some nanoseconds.
    void poll(std::size_t work) const {
        if (deadline_ && deadline_->passed(work)) throw WorkStopped();
    }

private:
    Deadline* deadline_ = nullptr;
    MemoryMeter* meter_ = nullptr;
};

}  // namespace sing
