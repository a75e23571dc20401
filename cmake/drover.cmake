# Functions that the parts of Drover are built with.

# drover_library(NAME [QUICK_TO_COMPILE]): a static library whose sources drover_module() adds.
# QUICK_TO_COMPILE: -O1 in releases, for code off the paths of samples and decisions.
function(drover_library library)
  add_library(${library} STATIC)
  if("QUICK_TO_COMPILE" IN_LIST ARGN)
    target_compile_options(${library} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(DROVER_PRECOMPILED)
    target_precompile_headers(${library} PRIVATE <algorithm> <array> <chrono> <functional> <map>
      <memory> <optional> <set> <string> <string_view> <variant> <vector> <fmt/format.h>)
  endif()
  if(DROVER_UNITY)
    set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # To g++ all files are one: it takes a private type for one of a header, and a private name for
    # one that parameters of another file hide.
    target_compile_options(${library} PRIVATE -Wno-subobject-linkage -Wno-shadow)
  endif()
endfunction()

# With DROVER_UNITY, files of a library are compiled together in groups of this many, in the order
# in which they are added.
set(DROVER_UNITY_FILES 45)

function(drover_source library path)
  get_target_property(sources ${library} SOURCES)
  list(LENGTH sources number)
  math(EXPR group "${number} / ${DROVER_UNITY_FILES}")
  target_sources(${library} PRIVATE ${path})
  set_source_files_properties(${path} PROPERTIES UNITY_GROUP ${group})
endfunction()

# drover_module(LIBRARY FOLDER FILE..): sources of one folder.
function(drover_module library folder)
  foreach(file IN LISTS ARGN)
    set(path ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file})
    cmake_path(NORMAL_PATH path)
    drover_source(${library} ${path})
  endforeach()
endfunction()

# drover_embed(LIBRARY FUNCTION namespace::function HEADER declares.h [TYPE element] FILES file..):
# adds a source with that function, which returns the texts of the files; see embed_texts.cmake.
function(drover_embed library)
  cmake_parse_arguments(embed "" "FUNCTION;HEADER;TYPE" "FILES" ${ARGN})
  string(REGEX MATCH "^(.*)::([a-z_]+)$" _ ${embed_FUNCTION})
  set(namespace ${CMAKE_MATCH_1})
  set(function ${CMAKE_MATCH_2})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${embed_FILES}" -DOUTPUT=${output} -DNAMESPACE=${namespace}
            -DHEADER=${embed_HEADER} -DTYPE=${embed_TYPE} -DFUNCTION=${function}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    DEPENDS ${embed_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    COMMENT "Embedding ${function}"
    VERBATIM)
  drover_source(${library} ${output})
endfunction()
