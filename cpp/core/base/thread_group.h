// Threads that are joined together, at the latest where the group goes out of scope. (std::jthread would do, but
// Apple's C++ library has none.)
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace sing {

class ThreadGroup {
public:
    ThreadGroup() = default;
    ThreadGroup(const ThreadGroup&) = delete;
    ThreadGroup& operator=(const ThreadGroup&) = delete;
    ~ThreadGroup() { join(); }

    // Throws std::system_error where the system has no more threads; those that run go on.
    template <typename Work>
    void start(Work work) {
        threads_.emplace_back(std::move(work));
    }

    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

private:
    std::vector<std::thread> threads_;
};

}  // namespace sing
