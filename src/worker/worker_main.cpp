#include "worker/launcher.h"

int main() {
  return assay::worker::run_launcher();
}
