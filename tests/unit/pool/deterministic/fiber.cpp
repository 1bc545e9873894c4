// SPDX-License-Identifier: MIT
// ucontext, and what the sanitizers have to be told about it.
#include "fiber.hpp"

#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define THREADCOUNT_TEST_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define THREADCOUNT_TEST_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace deterministic {

namespace {

#ifdef THREADCOUNT_TEST_ASAN
Fiber* left = nullptr;  // the fiber that has switched last
#endif
#ifdef THREADCOUNT_TEST_TSAN
char order;  // only its address counts
#endif

}  // namespace

Fiber::Fiber() {
#ifdef THREADCOUNT_TEST_TSAN
        seen_by_sanitizer_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::size_t stack_bytes)
        : stack_bytes_(stack_bytes), stack_(new std::byte[stack_bytes]), bottom_(stack_.get()) {
        getcontext(&context_);
        context_.uc_stack.ss_sp = stack_.get();
        context_.uc_stack.ss_size = stack_bytes_;
        context_.uc_link = nullptr;
        const auto self = reinterpret_cast<std::uintptr_t>(this);
        makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::main), 2,
                    static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
#ifdef THREADCOUNT_TEST_TSAN
        seen_by_sanitizer_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef THREADCOUNT_TEST_TSAN
        if (stack_)
                __tsan_destroy_fiber(seen_by_sanitizer_);
#endif
}

void Fiber::set_body(std::function<void()> body, Fiber& back) {
        body_ = std::move(body);
        back_ = &back;
}

void Fiber::main(unsigned low, unsigned high) {
        auto& self = *reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
        self.arrive();
        for (;;) {
                observe();
                self.body_();
                auto& back = *self.back_;
                publish();
                switch_to(self, back);
        }
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
#ifdef THREADCOUNT_TEST_ASAN
        left = &from;
        __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.stack_bytes_);
#endif
#ifdef THREADCOUNT_TEST_TSAN
        __tsan_switch_to_fiber(to.seen_by_sanitizer_, __tsan_switch_to_fiber_no_sync);
#endif
        swapcontext(&from.context_, &to.context_);
        from.arrive();
}

void Fiber::arrive() {
#ifdef THREADCOUNT_TEST_ASAN
        const void* bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &bytes);
        if (!left->stack_) {  // the thread's own, which is not ours
                left->bottom_ = bottom;
                left->stack_bytes_ = bytes;
        }
#endif
}

#ifdef THREADCOUNT_TEST_TSAN
void Fiber::publish() { __tsan_release(&order); }
void Fiber::observe() { __tsan_acquire(&order); }
#else
void Fiber::publish() {}
void Fiber::observe() {}
#endif

}  // namespace deterministic
