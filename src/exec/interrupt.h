// Ending a run from outside: Ctrl-C while a graph's loop runs.
#pragma once

namespace monograph::exec {

// `check` is called by loops of graphs, several times a second; it throws where the run is to end. Set once, before any run.
void set_interrupt_check(void (*check)());

}  // namespace monograph::exec
