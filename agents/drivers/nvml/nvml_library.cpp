#include "agents/drivers/nvml/nvml_library.h"

#include <dlfcn.h>

#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents::nvml {

namespace {

struct AnswerText {
  Answer answer;
  std::string_view text;
};

constexpr std::array<AnswerText, 11> answer_texts{{
    {Answer::uninitialized, "the driver was unloaded"},
    {Answer::invalid_argument, "invalid argument"},
    {Answer::not_supported, "not supported"},
    {Answer::no_permission, "no permission"},
    {Answer::not_found, "not found"},
    {Answer::driver_not_loaded, "the driver is not loaded"},
    {Answer::timeout, "no answer in time"},
    {Answer::gpu_is_lost, "GPU is lost"},
    {Answer::version_mismatch, "driver and library versions differ; restart the machine"},
    {Answer::gpu_not_found, "GPU not found"},
    {Answer::function_not_found, "function not found"},
}};

}  // namespace

void* find_symbol(void* library, const char* symbol, const char* older) {
  void* found = dlsym(library, symbol);
  return found || !older ? found : dlsym(library, older);
}

double number_of(const FieldValue& value) {
  switch (value.type) {
    case ValueType::floating:
      return value.floating;
    case ValueType::unsigned_int:
      return value.unsigned_int;
    case ValueType::unsigned_long:
    case ValueType::unsigned_long_long:
      return static_cast<double>(value.unsigned_long);
    case ValueType::signed_long_long:
      return static_cast<double>(value.signed_long);
    case ValueType::signed_int:
      return value.signed_int;
    case ValueType::unsigned_short:
      return value.unsigned_short;
  }
  return value.unsigned_int;
}

Result<Library> Library::open(const std::string& path) {
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(library);
  const char* why = dlerror();
  if (path.find('/') == std::string::npos)
    return error(ErrorKind::not_found, "{} is not on this machine", path);
  return error(ErrorKind::not_found, "{}", excerpt(why ? why : path, 300));
}

std::string Library::text_of(Answer answer) const {
  if (const auto* known = find_by(answer_texts, &AnswerText::answer, answer))
    return std::string(known->text);
  using ErrorString = const char* (*)(Answer);
  const auto text =
      reinterpret_cast<ErrorString>(find_symbol(library_, "nvmlErrorString", nullptr));
  const char* words = text ? text(answer) : nullptr;
  return words ? excerpt(words, 80) : fmt::format("error {}", static_cast<int>(answer));
}

}  // namespace drover::agents::nvml
