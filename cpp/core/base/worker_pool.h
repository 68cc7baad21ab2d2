// Threads that wait for work, for work that comes in many short pieces.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include "base/thread_group.h"

namespace sing {

// Example: a beam gives its workers several pieces of work for each of its layers. The thread that calls run() is
// worker 0, so that a pool of one worker has no threads at all.
class WorkerPool {
public:
    using Work = std::function<void(std::size_t worker)>;

    // Throws std::system_error where the system has no more threads.
    explicit WorkerPool(std::size_t num_workers) : num_workers_(num_workers) {
        try {
            for (std::size_t worker = 1; worker < num_workers; ++worker)
                threads_.start([this, worker] { serve(worker); });
        } catch (...) {
            end();
            throw;
        }
    }
    ~WorkerPool() { end(); }
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    std::size_t size() const { return num_workers_; }

    // Calls work(worker) on all workers at the same time, and returns when the last of them has. Then throws what one
    // of them has thrown.
    void run(const Work& work) {
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            num_busy_ = num_workers_ - 1;
            ++turn_;
        }
        begun_.notify_all();
        call(work, 0);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return num_busy_ == 0; });
        if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
    }

private:
    void serve(std::size_t worker) {
        std::size_t turn = 0;
        for (;;) {
            const Work* work = nullptr;
            {
                std::unique_lock lock(mutex_);
                begun_.wait(lock, [&] { return is_over_ || turn_ != turn; });
                if (is_over_) return;
                turn = turn_;
                work = work_;
            }
            call(*work, worker);
            const std::lock_guard lock(mutex_);
            if (--num_busy_ == 0) done_.notify_one();
        }
    }

    void call(const Work& work, std::size_t worker) {
        try {
            work(worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            error_ = std::current_exception();
        }
    }

    void end() {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        begun_.notify_all();
        threads_.join();
    }

    std::size_t num_workers_;
    std::mutex mutex_;
    std::condition_variable begun_, done_;
    const Work* work_ = nullptr;
    std::size_t turn_ = 0;
    std::size_t num_busy_ = 0;  // of the threads
    bool is_over_ = false;
    std::exception_ptr error_;
    ThreadGroup threads_;  // last: they use the rest
};

}  // namespace sing
