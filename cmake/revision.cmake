# Writes OUTPUT, a header with the revision of the sources in SOURCE: the commit that is checked
# out; empty outside of git. The same commit gives the same file.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(WRITE ${OUTPUT}
  "// Written by cmake/revision.cmake.\n#define DROVER_REVISION \"${revision}\"\n")
