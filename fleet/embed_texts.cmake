# Writes OUTPUT, a C++ source whose FUNCTION answers the name and text of every file of the list FILES as raw string
# literals. ROOM is the folder whose header HEADER declares it, TYPE its element of two string views.
set(code "// Written by fleet/embed_texts.cmake.\n#include \"${ROOM}/${HEADER}\"\n\nnamespace drover::${ROOM} {\n\n")
string(APPEND code "std::vector<${TYPE}> ${FUNCTION}() {\n  return {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  # configure_file-like substitution must not touch the text: semicolons and brackets stay as they are.
  file(READ ${file} text)
  string(APPEND code "      {\"${name}\", R\"EMBEDDED(")
  string(APPEND code "${text}")
  string(APPEND code ")EMBEDDED\"},\n")
endforeach()
string(APPEND code "  };\n}\n\n}  // namespace drover::${ROOM}\n")
file(WRITE ${OUTPUT} "${code}")
