// SPDX-License-Identifier: Apache-2.0

// Whether the C++ API uses the whole C API.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support.hpp"

namespace {

namespace fs = std::filesystem;

// Functions that the C++ API does not call, and why.
const std::map<std::string, std::string> without_form = {
    {"remora_snapshot_get", "remora_snapshot_get_n does the same for a std::string_view"},
    {"remora_respond", "transports are written with the C API"},
    {"remora_clock_changed", "clocks are written with the C API"},
};

std::string content(const fs::path &path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> exported() {
  std::istringstream symbols(content(fs::path(REMORA_ROOT) / "abi" / "symbols.txt"));
  std::set<std::string> names;
  for (std::string name; symbols >> name;) names.insert(name);
  return names;
}

// The words of a text that begin with a prefix.
std::set<std::string> words(const std::string &text, std::string_view prefix) {
  const auto is_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::set<std::string> found;
  for (auto start = text.begin(); start != text.end();) {
    const auto end = std::find_if_not(start, text.end(), is_of_word);
    std::string word(start, end);
    if (word.compare(0, prefix.size(), prefix) == 0) found.insert(std::move(word));
    start = std::find_if(end, text.end(), is_of_word);
  }
  return found;
}

// The names of the C API that the headers use outside of comments.
std::set<std::string> used(std::string_view prefix) {
  std::string code;
  for (const auto &entry : fs::recursive_directory_iterator(fs::path(REMORA_ROOT) / "include" / "remora")) {
    if (entry.path().extension() != ".hpp") continue;
    std::istringstream lines(content(entry.path()));
    for (std::string line; std::getline(lines, line);) code += line.substr(0, line.find("//")) + "\n";
  }
  return words(code, prefix);
}

TEST("each function of the C API is used by the C++ API, or is listed with the reason why not") {
  const std::set<std::string> names = used("remora_");
  const std::set<std::string> functions = exported();
  CHECK(functions.size() >= 100);
  for (const std::string &function : functions) {
    const bool is_used = names.count(function) != 0;
    if (is_used == (without_form.count(function) != 0))
      check_fail(__FILE__, __LINE__, "%s is %s", function.c_str(), is_used ? "used, but listed" : "not used");
  }
  for (const auto &[function, reason] : without_form) {
    CHECK(functions.count(function) == 1);
    CHECK(!reason.empty());
  }
}

TEST("remora.hpp includes every header of the C++ API") {
  const fs::path include = fs::path(REMORA_ROOT) / "include";
  const std::string umbrella = content(include / "remora.hpp");
  std::size_t count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(include / "remora")) {
    if (entry.is_directory()) continue;
    const std::string line = "#include <" + fs::relative(entry.path(), include).string() + ">\n";
    if (umbrella.find(line) == std::string::npos) check_fail(__FILE__, __LINE__, "no line %s", line.c_str());
    ++count;
  }
  CHECK(count > 10);
}

// Macros of remora.h that are not constants of a host.
const std::set<std::string> other_macros = {
    "REMORA_H",  "REMORA_VERSION", "REMORA_VERSION_MAJOR", "REMORA_VERSION_MINOR", "REMORA_VERSION_PATCH",
    "REMORA_OK", "REMORA_INIT",    "REMORA_HAS",
};

TEST("each constant of the C API has an enumerator in the C++ API") {
  const std::set<std::string> names = used("REMORA_");
  std::istringstream header(content(fs::path(REMORA_ROOT) / "include" / "remora.h"));
  std::size_t count = 0;
  for (std::string word, name; header >> word;) {
    if (word != "#define" || !(header >> name)) continue;
    name = name.substr(0, name.find('('));
    ++count;
    if (names.count(name) == 0 && other_macros.count(name) == 0)
      check_fail(__FILE__, __LINE__, "%s is not used", name.c_str());
  }
  CHECK(count > 90);
}

} // namespace
