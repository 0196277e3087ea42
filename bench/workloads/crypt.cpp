#include "runs/crypt.hpp"

#include <memory>
#include <string>
#include <vector>

#include <mgws/memory.hpp>

#include "crypt/text.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class crypt_workload final : public workload {
 public:
  std::string name() const override { return "crypt"; }
  std::string description() const override { return "a text is encrypted by IDEA, and decrypted"; }
  std::string unit() const override { return "blocks"; }

  void add_options(CLI::App& command) override {
    text_options_.add_to(command);
    command.add_flag("--bulk", bulk_, "all blocks as one slot, instead of ranges that are cut");
    add_width(command, width_);
  }

  void prepare(const options& o) override {
    text_ = crypt_text::make(text_options_);
    runs_ = with_port(o, [&]<class Port>() {
      return crypt::make_runs<Port>(o, {.bulk = bulk_, .width = width_of(width_)});
    });
    context_ = {.texts = {},
                .keys = {text_.encrypting, text_.decrypting},
                .lane_keys = {idea::for_lanes(text_.encrypting), idea::for_lanes(text_.decrypting)},
                .blocks = static_cast<std::uint32_t>(text_.plain.size()),
                .grain = static_cast<std::uint32_t>(text_options_.grain)};
    for (std::size_t i = 0; i != 3; ++i) {
      texts_[i] = array<idea::block>(runs_->data_places().common(), text_.plain.size());
      context_.texts[i] = texts_[i].data();
    }
    found_.resize(text_.plain.size());
  }

  json parameters() const override {
    return {{"size", text_options_.size},
            {"grain", text_options_.grain},
            {"text_seed", text_options_.text_seed},
            {"bulk", bulk_},
            {"width", width_}};
  }

  outcome run() override {
    // What the last run has left would be right.
    texts_[0].upload(text_.plain);
    texts_[1].fill(0);
    texts_[2].fill(0);
    const auto r = runs_->run(context_);
    outcome o;
    o.report = r;
    o.tasks = r.get<crypt::ciphered>();
    texts_[1].download(found_);
    const std::uint64_t encrypted = equal_blocks(found_, text_.encrypted);
    texts_[2].download(found_);
    const std::uint64_t decrypted = equal_blocks(found_, text_.plain);
    const std::uint64_t all = text_.plain.size();
    o.result = decrypted;
    if (encrypted != all) {
      o.fault = "block " + std::to_string(encrypted) + " is not encrypted as one thread does it";
    } else if (decrypted != all) {
      o.fault = "block " + std::to_string(decrypted) + " is not what it was before";
    } else if (o.tasks != 2 * all) {
      o.fault = std::to_string(o.tasks) + " blocks were encrypted or decrypted, instead of " +
                std::to_string(2 * all);
    } else {
      o.verified = true;
    }
    return o;
  }

 private:
  crypt_options text_options_;
  bool bulk_ = false;
  std::string width_ = "lane";
  crypt_text text_;
  array<idea::block> texts_[3];     ///< where the tasks reach them
  std::vector<idea::block> found_;  ///< after a run
  crypt::context context_{};
  std::unique_ptr<runs<crypt::context, crypt::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_crypt() {
  return std::make_unique<crypt_workload>();
}

}  // namespace mgws::bench
