# Functions that the parts of Drover are built with.

# To a compiler the files of a unity build are one: it takes a private type for one of a header, and
# a private name for one that parameters of another file hide.
function(drover_unity_warnings target)
  target_compile_options(${target} PRIVATE -Wno-shadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

function(drover_compile_settings target)
  if(DROVER_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <chrono> <functional> <map>
      <memory> <optional> <set> <string> <string_view> <variant> <vector> <fmt/format.h>)
  endif()
  if(DROVER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    drover_unity_warnings(${target})
  endif()
endfunction()

# drover_library(NAME): a static library whose sources drover_module() adds.
function(drover_library library)
  add_library(${library} STATIC)
  drover_compile_settings(${library})
endfunction()

# The objects of a library's FAST modules. Made with the first of them.
function(drover_fast_objects library)
  if(TARGET ${library}_fast)
    return()
  endif()
  add_library(${library}_fast OBJECT)
  target_compile_options(${library}_fast PRIVATE $<$<CONFIG:Release>:-O3>)
  target_link_libraries(${library}_fast PRIVATE $<TARGET_PROPERTY:${library},LINK_LIBRARIES>)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${library}_fast>)
  drover_compile_settings(${library}_fast)
endfunction()

# With DROVER_UNITY, files of a target are compiled together in groups of this many, in the order
# in which they are added.
set(DROVER_UNITY_FILES 75)

function(drover_source target path)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources number)
  math(EXPR group "${number} / ${DROVER_UNITY_FILES}")
  target_sources(${target} PRIVATE ${path})
  set_source_files_properties(${path} PROPERTIES UNITY_GROUP ${group})
endfunction()

# drover_module(LIBRARY FOLDER [FAST] FILE..): sources of one folder. FAST: at -O3 in releases.
function(drover_module library folder)
  cmake_parse_arguments(module "FAST" "" "" ${ARGN})
  set(target ${library})
  if(module_FAST)
    drover_fast_objects(${library})
    set(target ${library}_fast)
  endif()
  foreach(file IN LISTS module_UNPARSED_ARGUMENTS)
    set(path ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file})
    cmake_path(NORMAL_PATH path)
    drover_source(${target} ${path})
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
