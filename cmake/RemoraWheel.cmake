# SPDX-License-Identifier: Apache-2.0
#
# The library inside the Python wheel (scripts/make-wheel): the same core and the same C API, linked with jansson inside
# and without the one symbol that requires glibc 2.35. Not part of the default build.
find_library(REMORA_JANSSON_ARCHIVE libjansson.a)
if(NOT REMORA_JANSSON_ARCHIVE)
  return() # Then scripts/make-wheel reports what to install.
endif()

add_library(remora_wheel_symbols OBJECT EXCLUDE_FROM_ALL packaging/wheel/symbols.c)
target_compile_options(remora_wheel_symbols PRIVATE -Wall -Wextra ${c_strict})
set_target_properties(remora_wheel_symbols PROPERTIES POSITION_INDEPENDENT_CODE ON)

# The modules of the core and of jansson name their libraries: these folders have only archives of them.
set(archives ${PROJECT_BINARY_DIR}/wheel/archives)
file(MAKE_DIRECTORY ${archives})
file(CREATE_LINK ${REMORA_JANSSON_ARCHIVE} ${archives}/libjansson.a SYMBOLIC)

add_library(remora_wheel SHARED EXCLUDE_FROM_ALL ${c_sources})
set_target_properties(remora_wheel PROPERTIES
  OUTPUT_NAME remora Swift_MODULE_NAME RemoraC Swift_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/wheel/library
  VERSION ${PROJECT_VERSION} SOVERSION 0 LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wheel/library
  BUILD_WITH_INSTALL_RPATH ON
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/abi/remora.map;${startup_order};$<TARGET_FILE:remora_core>")
target_compile_options(remora_wheel PRIVATE ${swift_options} -I${REMORA_HEADER_DIR} -I${PROJECT_BINARY_DIR})
target_link_directories(remora_wheel PRIVATE ${archives} ${PROJECT_BINARY_DIR})
target_link_libraries(remora_wheel PRIVATE
  $<TARGET_OBJECTS:remora_swift_runtime> $<TARGET_OBJECTS:remora_wheel_symbols>
  $<TARGET_FILE:remora_core> $<TARGET_FILE:remora_support> Threads::Threads) # The target of the core links jansson.
target_link_options(remora_wheel PRIVATE -static-stdlib
  "SHELL:-Xlinker --version-script=${PROJECT_SOURCE_DIR}/abi/remora.map"
  "SHELL:-Xlinker -z -Xlinker nodelete" ${small_code} ${ordered_code})
add_dependencies(remora_wheel remora_core remora_support)
# As keep_built does for the others.
add_custom_command(TARGET remora_wheel POST_BUILD COMMAND_EXPAND_LISTS COMMAND ${CMAKE_COMMAND} -E touch
  $<TARGET_OBJECTS:remora_wheel> ${PROJECT_BINARY_DIR}/wheel/library/RemoraC.swiftmodule)
