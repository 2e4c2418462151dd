# SPDX-License-Identifier: Apache-2.0
#
# The library and the tool inside the Python wheel (scripts/make-wheel): the same sources, linked with jansson inside, and
# with the shared C++ runtime, without the symbols that require glibc 2.35. Not part of the default build.
find_library(REMORA_JANSSON_ARCHIVE libjansson.a)
if(NOT REMORA_JANSSON_ARCHIVE)
  return() # Then scripts/make-wheel reports what to install.
endif()

foreach(symbol IN ITEMS hypotf stdin)
  add_library(remora_wheel_${symbol} OBJECT EXCLUDE_FROM_ALL packaging/wheel/${symbol}.c)
  target_compile_options(remora_wheel_${symbol} PRIVATE -Wall -Wextra ${c_strict})
  set_target_properties(remora_wheel_${symbol} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endforeach()

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
  $<TARGET_OBJECTS:remora_swift_runtime> $<TARGET_OBJECTS:remora_wheel_hypotf> $<TARGET_OBJECTS:remora_wheel_stdin>
  $<TARGET_FILE:remora_core> $<TARGET_FILE:remora_support> Threads::Threads) # The target of the core links jansson.
target_link_options(remora_wheel PRIVATE -static-stdlib
  "SHELL:-Xlinker --version-script=${PROJECT_SOURCE_DIR}/abi/remora.map"
  "SHELL:-Xlinker -z -Xlinker nodelete" ${small_code} ${ordered_code})
add_dependencies(remora_wheel remora_core remora_support)
# As keep_built does for the others.
add_custom_command(TARGET remora_wheel POST_BUILD COMMAND_EXPAND_LISTS COMMAND ${CMAKE_COMMAND} -E touch
  $<TARGET_OBJECTS:remora_wheel> ${PROJECT_BINARY_DIR}/wheel/library/RemoraC.swiftmodule)

add_executable(remora_wheel_cli EXCLUDE_FROM_ALL ${tool_sources})
set_target_properties(remora_wheel_cli PROPERTIES
  OUTPUT_NAME remora Swift_MODULE_NAME remora_cli Swift_MODULE_DIRECTORY ${PROJECT_BINARY_DIR}/wheel/tool
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wheel/tool BUILD_WITH_INSTALL_RPATH ON
  LINK_DEPENDS $<TARGET_FILE:remora_core>)
target_compile_options(remora_wheel_cli PRIVATE ${swift_options} -I${PROJECT_SOURCE_DIR}/include
  -I${PROJECT_SOURCE_DIR}/Sources/CSigning/include -I${PROJECT_BINARY_DIR})
target_link_directories(remora_wheel_cli PRIVATE ${archives} ${PROJECT_BINARY_DIR})
target_link_libraries(remora_wheel_cli PRIVATE $<TARGET_OBJECTS:remora_wheel_hypotf>
  $<TARGET_FILE:remora_core> $<TARGET_FILE:remora_support> $<TARGET_FILE:remora_signing> Threads::Threads)
target_link_options(remora_wheel_cli PRIVATE -static-stdlib ${small_code})
add_dependencies(remora_wheel_cli remora_core remora_support remora_signing)
add_custom_command(TARGET remora_wheel_cli POST_BUILD COMMAND_EXPAND_LISTS COMMAND ${CMAKE_COMMAND} -E touch
  $<TARGET_OBJECTS:remora_wheel_cli> ${PROJECT_BINARY_DIR}/wheel/tool/remora_cli.swiftmodule)
