/*
 * A disk that fails, for tests: loaded before the C library (LD_PRELOAD), it fails system calls on files below a folder,
 * from the one that a test chooses on. It is controlled by a mapped file, so that a test switches it under a running
 * process. Built by disk-shim.test-support.ts.
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
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* As disk-shim.test-support.ts writes and reads it. */
struct control {
  int64_t kinds;   /* which calls: a sum of the values below, 0: none */
  int64_t error;   /* errno of what fails */
  int64_t skip;    /* so many calls pass before */
  int64_t lasting; /* 1: all that come behind fail, too */
  int64_t cut;     /* 1: the first one that fails is a write that writes half of its bytes, and says so */
  int64_t seen;    /* calls so far */
  int64_t struck;  /* calls that failed */
  char folder[456];
};
enum { WRITES = 1, SYNCS = 2, CREATIONS = 4, HEADS = 8 };
/* The two pages at the start of a file of LMDB that say where its last commits lie. */
#define HEAD_BYTES 8192

static struct control *control(void) {
  static struct control *mapped;
  if (mapped == NULL) {
    const char *file = getenv("FOSSICK_TEST_DISK");
    int descriptor = file == NULL ? -1 : open(file, O_RDWR | O_CLOEXEC);
    void *memory = descriptor < 0 ? MAP_FAILED
                                  : mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) return NULL;
    mapped = memory;
  }
  return mapped;
}

static int is_below(const struct control *told, const char *path) {
  return strncmp(path, told->folder, strlen(told->folder)) == 0;
}

/*
 * Whether a file is LMDB's. A failing write of it returns that it wrote nothing: LMDB prints the position of a write that
 * fails with an error number into a buffer that is too short (mdb_page_flush of lmdb 3.5.6), which may end the process
 * and would hide everything after it.
 */
static int is_of_lmdb(const char *path) {
  size_t length = strlen(path);
  return length > 9 && strcmp(path + length - 9, "/data.mdb") == 0;
}

/* 1: this call fails; 2: it fails behind half of its bytes; 3: it writes nothing. */
static int strikes(int kind, const char *path) {
  struct control *told = control();
  if (told == NULL || !(__atomic_load_n(&told->kinds, __ATOMIC_SEQ_CST) & kind) || !is_below(told, path)) return 0;
  if (kind == HEADS && !is_of_lmdb(path)) return 0;
  int64_t at = __atomic_fetch_add(&told->seen, 1, __ATOMIC_SEQ_CST);
  if (at < told->skip || (at > told->skip && !told->lasting)) return 0;
  __atomic_fetch_add(&told->struck, 1, __ATOMIC_SEQ_CST);
  if (getenv("FOSSICK_TEST_DISK_LOG") != NULL) dprintf(2, "disk fault: kind %d, %s\n", kind, path);
  errno = (int)told->error;
  if (kind == WRITES && at == told->skip && told->cut) return 2;
  return (kind == WRITES || kind == HEADS) && is_of_lmdb(path) ? 3 : 1;
}

static int strikes_at(int kind, int descriptor) {
  struct control *told = control();
  if (told == NULL || told->kinds == 0) return 0;
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strikes(kind, path);
}

#define REAL(name) static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define SIZED_WRITE(name, parameters, half, whole) \
  ssize_t name parameters { \
    REAL(name); \
    int strike = strikes_at(WRITES, fd); \
    if (strike == 3) return 0; \
    if (strike == 1 || (strike == 2 && count < 2)) return -1; \
    if (strike == 2) return real half; \
    return real whole; \
  }
SIZED_WRITE(write, (int fd, const void *data, size_t count), (fd, data, count / 2), (fd, data, count))
#define PLACED_WRITE(name, place) \
  ssize_t name(int fd, const void *data, size_t count, place at) { \
    REAL(name); \
    if (at < HEAD_BYTES && strikes_at(HEADS, fd)) return 0; \
    int strike = strikes_at(WRITES, fd); \
    if (strike == 3) return 0; \
    if (strike == 1 || (strike == 2 && count < 2)) return -1; \
    return real(fd, data, strike == 2 ? count / 2 : count, at); \
  }
PLACED_WRITE(pwrite, off_t)
PLACED_WRITE(pwrite64, off64_t)
SIZED_WRITE(copy_file_range, (int from, off64_t *from_at, int fd, off64_t *at, size_t count, unsigned flags),
            (from, from_at, fd, at, count / 2, flags), (from, from_at, fd, at, count, flags))
SIZED_WRITE(sendfile, (int fd, int from, off_t *at, size_t count), (fd, from, at, count / 2), (fd, from, at, count))
SIZED_WRITE(sendfile64, (int fd, int from, off64_t *at, size_t count), (fd, from, at, count / 2), (fd, from, at, count))
/* half of the pieces instead of half of the bytes */
SIZED_WRITE(writev, (int fd, const struct iovec *pieces, int count), (fd, pieces, count / 2), (fd, pieces, count))
SIZED_WRITE(pwritev, (int fd, const struct iovec *pieces, int count, off_t at), (fd, pieces, count / 2, at), (fd, pieces, count, at))
SIZED_WRITE(pwritev64, (int fd, const struct iovec *pieces, int count, off64_t at), (fd, pieces, count / 2, at),
            (fd, pieces, count, at))

#define FAILING(name, kind, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    return strikes_at(kind, fd) ? -1 : real arguments; \
  }
FAILING(fsync, SYNCS, (int fd), (fd))
FAILING(fdatasync, SYNCS, (int fd), (fd))
FAILING(ftruncate, WRITES, (int fd, off_t length), (fd, length))
FAILING(ftruncate64, WRITES, (int fd, off64_t length), (fd, length))
FAILING(fallocate, WRITES, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length))
FAILING(fallocate64, WRITES, (int fd, int mode, off64_t at, off64_t length), (fd, mode, at, length))

/* a mapping has no path at hand: all of them are flushed by the process under test */
int msync(void *address, size_t length, int flags) {
  REAL(msync);
  struct control *told = control();
  return told != NULL && strikes(SYNCS, told->folder) ? -1 : real(address, length, flags);
}

#define OPENING(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if ((flags & O_CREAT) && access(path, F_OK) != 0 && strikes(CREATIONS, path)) return -1; \
    return real(path, flags, mode); \
  }
OPENING(open)
OPENING(open64)

#define NAMING(name, parameters, where, arguments) \
  int name parameters { \
    REAL(name); \
    return strikes(CREATIONS, where) ? -1 : real arguments; \
  }
NAMING(mkdir, (const char *path, mode_t mode), path, (path, mode))
NAMING(link, (const char *from, const char *path), path, (from, path))
NAMING(rename, (const char *from, const char *path), path, (from, path))
