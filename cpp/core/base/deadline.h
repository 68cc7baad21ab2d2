// When long work must end: at its time limit, or when whoever waits for it says so.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace sing {

class Deadline {
public:
    // `keep_going()`, called about ten times a second, returns false to end the work.
    Deadline(double time_s, std::function<bool()> keep_going)
        : time_s_(time_s), keep_going_(std::move(keep_going)), start_(Clock::now()) {}

    // To be asked after every piece of work, of so many units of about a microsecond at most. Once it has passed it stays so.
    bool passed(std::size_t work) {
        constexpr double call_interval_s = 0.1;
        since_look_ += work;
        if (passed_ || since_look_ < INTERVAL) return passed_;
        since_look_ = 0;
        const double now_s = std::chrono::duration<double>(Clock::now() - start_).count();
        if (now_s >= time_s_) passed_ = true;
        if (now_s - last_call_s_ >= call_interval_s) {
            last_call_s_ = now_s;
            if (!keep_going_()) passed_ = true;
        }
        return passed_;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t INTERVAL = 1 << 12;
    double time_s_;
    std::function<bool()> keep_going_;
    Clock::time_point start_;
    double last_call_s_ = 0;
    std::size_t since_look_ = INTERVAL;  // the first question is answered by the clock
    bool passed_ = false;
};

}  // namespace sing
