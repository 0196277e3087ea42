// Files that are compiled at once where no GPU will run them: tests/gpu/meson.build.
#include "gpu/atomics.cpp"
#include "gpu/gathering.cpp"
#include "gpu/graph.cpp"
#include "gpu/members.cpp"
#include "gpu/priorities.cpp"
#include "gpu/probe.cpp"
#include "gpu/resumable.cpp"
#include "gpu/scratch.cpp"
