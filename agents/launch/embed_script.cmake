# Writes OUTPUT, a C++ source with the text of the file SCRIPT as a raw string literal.
file(READ ${SCRIPT} text)
set(code "// Written by embed_script.cmake from agents/launch/on_host.sh.\n#include \"agents/launch/order.h\"\n\nnamespace drover::launch {\n\n")
string(APPEND code "std::string_view on_host_script() {\n  return R\"SCRIPT(")
string(APPEND code "${text}")
string(APPEND code ")SCRIPT\";\n}\n\n}  // namespace drover::launch\n")
file(WRITE ${OUTPUT} "${code}")
