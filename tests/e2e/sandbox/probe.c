// A subject that looks around on request and tells what it sees through lent memory.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// 0 if the path can be opened for reading, else errno.
int64_t opens(const char* path) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

/// 0 if the path can be created or opened for writing, else errno.
int64_t writes(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

/// Bytes of the file that were put at `out` (at most 64 KiB); negative errno.
int64_t reads(const char* path, char* out) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return -errno;
  int64_t all = 0;
  ssize_t got = 0;
  while (all < 65536 && (got = read(fd, out + all, (size_t)(65536 - all))) > 0) all += got;
  close(fd);
  return all;
}

int64_t links(const char* path, char* out) {
  return readlink(path, out, 65536);
}

/// Names in a folder, one a line.
int64_t lists(const char* path, char* out) {
  DIR* folder = opendir(path);
  if (!folder) return -errno;
  char* at = out;
  for (struct dirent* entry; (entry = readdir(folder)) && at - out < 60000;) {
    at = stpcpy(at, entry->d_name);
    *at++ = '\n';
  }
  closedir(folder);
  return at - out;
}

int64_t touch(volatile char* address) {
  *address = 1;
  return 0;
}

int64_t peek(volatile char* address) {
  return *address;
}

int64_t ids(void) {
  return (int64_t)getuid() << 32 | getpid();
}

int64_t nothing(void) {
  return 0;
}

int64_t variable(const char* name, char* out) {
  const char* value = getenv(name);
  strcpy(out, value ? value : "unset");
  return (int64_t)strlen(out);
}
