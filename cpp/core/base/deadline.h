// When long work must end: at its time limit, or when whoever waits for it says so. No other file reads a clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace sing {

// One thread owns a deadline and asks it after every piece of its work. The members from end() on are for any thread.
//
// The clock is looked at rarely enough to cost nothing and often enough to keep the limit: how much work passes between
// two looks adapts to how long that work takes.
class Deadline {
public:
    enum class End { NONE, TIME_UP, STOPPED };
    // Seconds since some moment; it never goes back.
    using Clock = std::function<double()>;

    static constexpr std::chrono::milliseconds CALL_INTERVAL{100};

    // `keep_going()`, called by the owner's questions about ten times a second, returns false to stop the work.
    Deadline(double time_s, std::function<bool()> keep_going, Clock clock = steady_s)
        : time_s_(time_s), keep_going_(std::move(keep_going)), clock_(std::move(clock)), start_s_(clock_()) {}

    // Whether to end, after so many units of work. A unit is what the caller likes; all units had better take about as
    // long. The first question is answered by the clock. Once the deadline has passed it stays so.
    bool passed(std::size_t work) {
        since_look_ += work;
        return since_look_ >= interval_ && look(false);
    }
    // The same from a look at the clock, and `keep_going()` is called whenever it was called last.
    bool passed_now() { return look(true); }
    // Units of work are others from now on, and may take much longer: the clock is looked at after the first one.
    void begin_other_work() {
        if (has_passed()) return;
        interval_ = 1;
        since_look_ = 0;
    }
    // Units of work worth doing before the next question, 1 or more until the deadline has passed.
    std::size_t interval() const { return interval_; }

    // Why the work is to end, as the owner's questions have found; NONE before.
    End end() const { return end_.load(std::memory_order_relaxed); }
    bool has_passed() const { return end() != End::NONE; }
    // As if `keep_going()` had said no. The owner's questions tell it after interval() units at the latest.
    void stop() { end_.store(End::STOPPED, std::memory_order_relaxed); }
    // From a look at the clock; it does not make the deadline pass.
    bool is_time_up() const { return elapsed_s() >= time_s_; }
    double time_s() const { return time_s_; }
    double elapsed_s() const { return clock_() - start_s_; }

    static double steady_s() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

private:
    bool look(bool calls) {
        if (has_passed()) return true;
        const double now_s = elapsed_s();
        adapt(now_s - last_look_s_);
        last_look_s_ = now_s;
        const bool time_is_up = now_s >= time_s_;
        constexpr double call_interval_s = std::chrono::duration<double>(CALL_INTERVAL).count();
        if (calls || (!time_is_up && now_s - last_call_s_ >= call_interval_s)) {
            last_call_s_ = now_s;
            if (!keep_going_()) return pass(End::STOPPED);
        }
        return time_is_up && pass(End::TIME_UP);
    }

    void adapt(double elapsed_s) {
        constexpr double shortest_s = 0.001, longest_s = 0.02;
        constexpr std::size_t most = 1 << 12;  // units that suddenly take longer must not take too long
        if (elapsed_s < shortest_s) interval_ = std::min(2 * interval_, most);
        if (elapsed_s > longest_s) interval_ = std::max<std::size_t>(interval_ / 4, 1);
        since_look_ = 0;
    }

    bool pass(End end) {
        end_.store(end, std::memory_order_relaxed);
        interval_ = 0;  // from now on every question is answered by look()
        return true;
    }

    double time_s_;
    std::function<bool()> keep_going_;
    Clock clock_;
    double start_s_;
    double last_look_s_ = 0;
    double last_call_s_ = 0;
    std::size_t interval_ = 1;
    std::size_t since_look_ = interval_;
    std::atomic<End> end_{End::NONE};
};

}  // namespace sing
