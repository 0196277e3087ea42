#include "harness/guarded.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "corpus/error.hpp"
#include "harness/command_line.hpp"

namespace mgws::bench {

int guarded(const std::function<int()>& f) {
  const auto say = [](const std::string& what) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", program_name(), what);
  };
  try {
    return written(f());
  } catch (const no_progress& e) {
    say(e.what());
    std::fputs(e.dump().c_str(), stderr);
    std::fflush(nullptr);
    // Lost threads still use what a normal exit would take apart.
    if (e.lost_workers() != 0) std::_Exit(k_wrong);
    return k_wrong;
  } catch (const device_error& e) {
    say(e.what());
    std::fflush(nullptr);
    // Nothing of the device can be taken apart once it has failed.
    std::_Exit(k_wrong);
  } catch (const bad_configuration& e) {
    say(e.what());
    return k_bad_usage;
  } catch (const corpus_error& e) {
    say(e.what());
    return k_bad_usage;
  } catch (const std::invalid_argument& e) {
    say(e.what());
    return k_bad_usage;
  } catch (const not_possible& e) {
    say(e.what());
    return k_not_possible;
  } catch (const std::bad_alloc&) {
    say("the input and the initial tasks need more memory than this machine gives");
    return k_not_possible;
  } catch (const std::system_error& e) {
    // Output that finds no room, before all of it is flushed.
    say(e.what());
    return k_not_possible;
  } catch (const std::exception& e) {
    say(e.what());
    return k_wrong;
  }
}

}  // namespace mgws::bench
