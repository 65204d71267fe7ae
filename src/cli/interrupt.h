#pragma once

namespace assay::cli {

/// From now on Ctrl-C ends the program at once with a word of its own and exit code 130, unless whoever started it has
/// it ignore interrupts. Nothing needs to be put in order first: workers die with this process and hold no terminal,
/// and reports are written whole or not at all.
void answer_interrupts();

}  // namespace assay::cli
