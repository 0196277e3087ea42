#include "peers/gpu/crypt.hpp"

#include <utility>

#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "crypt/text.hpp"
#include "harness/list.hpp"
#include "peers/gpu/command.hpp"

namespace mgws::bench::peers::gpu {

namespace {

struct named_crypt_form {
  const char* name;
  crypt_form form;
};
/// A number is the bytes that a thread has at once.
constexpr named_crypt_form k_named_forms[] = {
    {"plain-8", {.bytes = 8, .resident = false}},
    {"plain-16", {.bytes = 16, .resident = false}},
    {"plain-32", {.bytes = 32, .resident = false}},
    {"resident-8", {.bytes = 8}},
    {"resident-16", {.bytes = 16}},
    {"resident-32", {.bytes = 32}},
    {"shared-16", {.bytes = 16, .shared = true}},
    {"shared-32", {.bytes = 32, .shared = true}},
};

class crypt_workload final : public workload {
 public:
  explicit crypt_workload(CLI::App& app) {
    for (const named_crypt_form& known : k_named_forms)
      forms_.emplace_back(known.name);
    text_options_.add_text_to(app);
    app.add_option("--threads", threads_, "threads of a block, a multiple of 32")
        ->check(whole_number(32, k_most_crypt_threads))
        ->capture_default_str();
    app.add_option("--form", form_, "kernels: a name, a list, or all")
        ->check(list_of(forms_))
        ->capture_default_str();
  }

  void check() const override {
    static_cast<void>(text_options_.blocks());
    if (threads_ % 32 != 0) throw bad_configuration("--threads must be a multiple of 32");
  }

  std::vector<measured> run(const common& c) const override {
    const crypt_text text = crypt_text::make(text_options_);
    c.warm();
    std::vector<measured> all;
    for (const std::string& name : names_in(form_, forms_))
      for (const named_crypt_form& known : k_named_forms)
        if (known.name == name) all.push_back(measure(text, known, c.times()));
    return all;
  }

 private:
  [[nodiscard]] measured measure(const crypt_text& text, const named_crypt_form& known,
                                 repetitions times) const {
    const std::uint64_t blocks = text.plain.size();
    crypt_form form = known.form;
    form.threads = static_cast<std::uint32_t>(threads_);
    measured m;
    m.parameters = {{"size", text_options_.size},
                    {"text_seed", text_options_.text_seed},
                    {"form", known.name},
                    {"threads", threads_}};
    m.tasks = 2 * blocks;
    m.bytes = 4 * text_options_.size;
    m.seconds = run_crypt(
        text.plain, text.encrypting, text.decrypting, form, times,
        [&](const std::vector<idea::block>& encrypted, const std::vector<idea::block>& decrypted) {
          m.result = equal_blocks(decrypted, text.plain);
          if (const std::uint64_t right = equal_blocks(encrypted, text.encrypted);
              right != blocks) {
            m.fault = fmt::format("block {} is not encrypted as one thread does it", right);
          } else if (m.result != blocks) {
            m.fault = fmt::format("block {} is not what it was before", m.result);
          }
        });
    return m;
  }

  crypt_options text_options_;
  std::vector<std::string> forms_;
  std::uint64_t threads_ = 256;
  std::string form_ = "all";
};

}  // namespace

std::unique_ptr<workload> make_crypt(CLI::App& app) {
  return std::make_unique<crypt_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
