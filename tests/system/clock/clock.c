/* Shifts the wall clock of the program that it is loaded into (LD_PRELOAD); the monotonic clock stays.
 * TEST_CLOCK names a file of one int64, the shift in ms, which may change at any time;
 * TEST_CLOCK_SKEW is added to it. It asks the kernel itself, and so works before any library is
 * ready: Redis' allocator asks for the time that early. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;
static int64_t skew;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("TEST_CLOCK"), *more = getenv("TEST_CLOCK_SKEW");
  if (more) skew = atoll(more);
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(0, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) shift = memory;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (failed || !shift || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t ns = now->tv_nsec + (*shift + skew) % 1000 * 1000000;
  now->tv_sec += (*shift + skew) / 1000 + (ns >= 1000000000) - (ns < 0);
  now->tv_nsec = (ns + 1000000000) % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  int failed = clock_gettime(CLOCK_REALTIME, &exact);
  (void)zone;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return failed;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}
