# SPDX-License-Identifier: Apache-2.0
#
# Packaged data inside a program: the bytes of a file as a constant, put there by the assembler. A dump of megabytes
# costs no time and no memory of the compiler's.

# remora_embed_dump(<target> FILE <file> NAME <name>)
#
# Adds the bytes of a file to a target, which gets <name>.h to include:
#
#     extern const unsigned char <name>[];    the bytes, and a NUL behind them
#     extern const size_t <name>_size;        how many, without the NUL
#
# The file may be relative to the current source directory, and may be made by the build. When it changes, the target is
# built anew. Needs C or C++ among the project's languages, and GCC or Clang. The names stay inside of the binary that
# the target ends up in.
function(remora_embed_dump target)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "FILE;NAME" "")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "remora_embed_dump: \"${target}\" is no target")
  endif()
  if(NOT embed_FILE OR NOT embed_NAME OR embed_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "remora_embed_dump: give FILE <file> and NAME <name>, nothing else")
  endif()
  if(NOT embed_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "remora_embed_dump: the NAME \"${embed_NAME}\" is no identifier")
  endif()
  get_filename_component(file "${embed_FILE}" ABSOLUTE)
  if(file MATCHES "[\"\\]")
    message(FATAL_ERROR "remora_embed_dump: the FILE ${file} has a quote or backslash in its path")
  endif()
  get_source_file_property(is_generated "${file}" GENERATED)
  if(NOT is_generated AND NOT EXISTS "${file}")
    message(FATAL_ERROR "remora_embed_dump: there is no FILE ${file}")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set(suffix c)
  elseif("CXX" IN_LIST languages)
    set(suffix cpp)
  else()
    message(FATAL_ERROR "remora_embed_dump: the project needs C or CXX among its languages")
  endif()

  set(name "${embed_NAME}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/remora_embed/${target}")
  file(CONFIGURE OUTPUT "${folder}/${name}.h" CONTENT [[
/* Made by remora_embed_dump; do not edit. */
#ifndef REMORA_EMBED_@name@_H
#define REMORA_EMBED_@name@_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const unsigned char @name@[];
extern const size_t @name@_size;

#ifdef __cplusplus
}
#endif

#endif
]] @ONLY)
  file(CONFIGURE OUTPUT "${folder}/${name}.${suffix}" CONTENT [[
/* Made by remora_embed_dump; do not edit. */
#include "@name@.h"

#if __SIZEOF_SIZE_T__ == 8
#define SIZE ".quad"
#else
#define SIZE ".long"
#endif

__asm__(".pushsection .rodata\n"
        ".hidden @name@\n"
        ".globl @name@\n"
        ".type @name@, %object\n"
        ".balign 16\n"
        "@name@:\n"
        ".incbin \"@file@\"\n"
        ".Lremora_@name@_end:\n"
        ".byte 0\n"
        ".size @name@, . - @name@\n"
        ".hidden @name@_size\n"
        ".globl @name@_size\n"
        ".type @name@_size, %object\n"
        ".balign 8\n"
        "@name@_size:\n"
        SIZE " .Lremora_@name@_end - @name@\n"
        ".size @name@_size, . - @name@_size\n"
        ".popsection\n");
]] @ONLY)
  set(source "${folder}/${name}.${suffix}")
  set_source_files_properties("${source}" TARGET_DIRECTORY "${target}" PROPERTIES OBJECT_DEPENDS "${file}")
  # With link-time optimisation the compiler would not see the names that the assembler defines.
  set_source_files_properties("${source}" TARGET_DIRECTORY "${target}" PROPERTIES COMPILE_OPTIONS -fno-lto)
  target_sources("${target}" PRIVATE "${source}")
  target_include_directories("${target}" PRIVATE "${folder}")
endfunction()
