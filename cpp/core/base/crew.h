// Threads that share one piece of work, while the caller's thread watches the deadline.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>

#include "base/deadline.h"
#include "base/thread_group.h"

namespace sing {

// Calls work() once in each of `num_threads` threads and returns when all calls have. About ten times a second the
// caller's thread asks the deadline, so the work need only look at has_passed(). Where a call throws, or the deadline's
// callback does, the deadline is stopped, and the first exception is thrown here when all calls have returned.
template <typename Work>
void run_in_threads(std::size_t num_threads, Deadline& deadline, const Work& work) {
    std::mutex mutex;  // guards what follows
    std::condition_variable finished;
    std::exception_ptr error;
    std::size_t num_running = std::max<std::size_t>(1, num_threads);
    auto note_error = [&] {
        deadline.stop();
        if (!error) error = std::current_exception();
    };
    auto run = [&] {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex);
            note_error();
        }
        const std::lock_guard lock(mutex);
        --num_running;
        finished.notify_one();
    };
    ThreadGroup threads;
    const std::size_t num_wanted = num_running;
    for (std::size_t started = 0; started < num_wanted; ++started) {
        try {
            threads.start(run);
        } catch (...) {  // the system has no more threads
            const std::lock_guard lock(mutex);
            num_running -= num_wanted - started;
            if (started == 0) note_error();  // else those that run do the work
            break;
        }
    }
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, Deadline::CALL_INTERVAL, [&] { return num_running == 0; })) {
        lock.unlock();
        try {
            deadline.passed_now();
            lock.lock();
        } catch (...) {
            lock.lock();
            note_error();
        }
    }
    lock.unlock();
    threads.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace sing
