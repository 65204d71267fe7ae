#include <stdint.h>

extern int helper(void);
int64_t answer(void) {
  return helper();
}
