/* SPDX-License-Identifier: MIT
 *
 * Annotations that clang's -Wthread-safety checks: which lock guards what, and which code holds it.
 * Other compilers see nothing. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
 */
#ifndef THREADCOUNT_THREAD_ANNOTATIONS_H
#define THREADCOUNT_THREAD_ANNOTATIONS_H

#ifdef __clang__
#define THREADCOUNT_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define THREADCOUNT_THREAD_ATTRIBUTE(attribute)
#endif

#define THREADCOUNT_CAPABILITY(name)  THREADCOUNT_THREAD_ATTRIBUTE(capability(name))
#define THREADCOUNT_SCOPED_CAPABILITY THREADCOUNT_THREAD_ATTRIBUTE(scoped_lockable)
#define THREADCOUNT_GUARDED_BY(mutex) THREADCOUNT_THREAD_ATTRIBUTE(guarded_by(mutex))
#define THREADCOUNT_REQUIRES(mutex)   THREADCOUNT_THREAD_ATTRIBUTE(requires_capability(mutex))
#define THREADCOUNT_EXCLUDES(mutex)   THREADCOUNT_THREAD_ATTRIBUTE(locks_excluded(mutex))
#define THREADCOUNT_ACQUIRE(...)      THREADCOUNT_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define THREADCOUNT_TRY_ACQUIRE(success)                                                           \
        THREADCOUNT_THREAD_ATTRIBUTE(try_acquire_capability(success))
#define THREADCOUNT_RELEASE()    THREADCOUNT_THREAD_ATTRIBUTE(release_capability())
#define THREADCOUNT_NOT_ANALYSED THREADCOUNT_THREAD_ATTRIBUTE(no_thread_safety_analysis)

#endif
