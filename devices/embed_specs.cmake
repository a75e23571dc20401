# Writes OUTPUT, a C++ source with the text of every file of the list SPECS as a raw string literal.
set(code "// Written by embed_specs.cmake from devices/specs/*/*.toml.\n#include \"devices/embedded_specs.h\"\n\nnamespace drover::devices {\n\nstd::vector<EmbeddedSpec> embedded_specs() {\n  return {\n")
foreach(file IN LISTS SPECS)
  get_filename_component(name ${file} NAME)
  # configure_file-like substitution must not touch the text: semicolons and brackets stay as they are.
  file(READ ${file} text)
  string(APPEND code "      {\"${name}\", R\"SPEC(")
  string(APPEND code "${text}")
  string(APPEND code ")SPEC\"},\n")
endforeach()
string(APPEND code "  };\n}\n\n}  // namespace drover::devices\n")
file(WRITE ${OUTPUT} "${code}")
