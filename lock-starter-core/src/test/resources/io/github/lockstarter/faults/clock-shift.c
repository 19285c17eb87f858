/*
 * Loaded into a program with LD_PRELOAD, it sets the wall clock that this program sees. By how many microseconds stands
 * in the file named by CLOCK_SHIFT, as one 64-bit number, and may be changed at any time. The monotonic clock and the
 * rest of the machine are not affected.
 *
 * System calls instead of the functions of the C library: a memory allocator may ask for the time while it starts, long
 * before a function could be looked up.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shift;

__attribute__((constructor)) static void open_shift(void) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file >= 0) {
        void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (mapped != MAP_FAILED) {
            shift = mapped;
        }
    }
}

static int64_t shifted_micros(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000 + (shift ? *shift : 0);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME) {
        return syscall(SYS_clock_gettime, clock, time);
    }
    int64_t micros = shifted_micros();
    time->tv_sec = micros / 1000000;
    time->tv_nsec = micros % 1000000 * 1000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void) zone;
    int64_t micros = shifted_micros();
    time->tv_sec = micros / 1000000;
    time->tv_usec = micros % 1000000;
    return 0;
}

time_t time(time_t *result) {
    time_t seconds = shifted_micros() / 1000000;
    if (result) {
        *result = seconds;
    }
    return seconds;
}
