# cmake -DINPUT=policy.toml -DOUTPUT=policy.cpp -P embed_policy.cmake
file(READ ${INPUT} text)
if(text MATCHES "\\)toml\"")
  message(FATAL_ERROR "${INPUT} holds the end of the raw string that embeds it")
endif()
file(WRITE ${OUTPUT} "// Made from builtin_policy.toml by embed_policy.cmake.
#include \"router/policy.h\"

namespace drover::router {

std::string_view builtin_policy_text() {
  return R\"toml(${text})toml\";
}

}  // namespace drover::router
")
