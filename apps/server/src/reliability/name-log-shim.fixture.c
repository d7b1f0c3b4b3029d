/*
 * Records which names are created and what is flushed, for tests that cut the power: loaded before the C
 * library (LD_PRELOAD), it appends lines to the file FOSSICK_TEST_NAMES, in the order in which things happen:
 *
 *   new PATH             a file or folder was created
 *   link FROM -> TO      a file has a second name
 *   move FROM -> TO      a file or folder was renamed
 *   flush ID -> PATH     a file or folder is about to be flushed
 *   done ID              it was flushed
 *
 * A tab separates the values. Names are recorded after they are there and flushes before they begin, so a flush covers
 * what is recorded before it.
 * Built and read by power-cut.test-support.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void record(const char *kind, const char *left, const char *right) {
  static int file = -1;
  int error = errno;
  if (file < 0) {
    const char *path = getenv("FOSSICK_TEST_NAMES");
    if (path == NULL) return;
    static int (*opened)(const char *, int, ...);
    opened = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    file = opened(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  }
  char line[4096];
  int length = snprintf(line, sizeof line, "%s %s\t%s\n", kind, left, right);
  static ssize_t (*written)(int, const void *, size_t);
  if (written == NULL) written = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (length > 0 && (size_t)length < sizeof line) written(file, line, (size_t)length);
  errno = error;
}

#define OPENING(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    int is_new = (flags & O_CREAT) && access(path, F_OK) != 0; \
    int fd = real(path, flags, mode); \
    if (fd >= 0 && is_new) record("new", path, ""); \
    return fd; \
  }
OPENING(open)
OPENING(open64)

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  int result = real(path, mode);
  if (result == 0) record("new", path, "");
  return result;
}

int link(const char *from, const char *to) {
  REAL(link);
  int result = real(from, to);
  if (result == 0) record("link", from, to);
  return result;
}

int rename(const char *from, const char *to) {
  REAL(rename);
  int result = real(from, to);
  if (result == 0) record("move", from, to);
  return result;
}

#define FLUSHING(name) \
  int name(int fd) { \
    REAL(name); \
    static int64_t count; \
    char link_path[64], path[2048], id[32]; \
    snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd); \
    ssize_t length = readlink(link_path, path, sizeof path - 1); \
    if (length <= 0) return real(fd); \
    path[length] = 0; \
    snprintf(id, sizeof id, #name "-%lld", (long long)__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST)); \
    record("flush", id, path); \
    int result = real(fd); \
    if (result == 0) record("done", id, ""); \
    return result; \
  }
FLUSHING(fsync)
FLUSHING(fdatasync)
