// SPDX-License-Identifier: Apache-2.0
//
// Words and colours of the output for people.

internal import Glibc

/// Whether standard output shows colours: it is a terminal, and the environment does not have NO_COLOR.
let isColored = isatty(standardOutput) == 1 && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)

/// Returns the text in a colour of the terminal's palette, or as it is.
func colored(_ text: String, _ color: Int) -> String { isColored ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text }

/// Returns the text in bold, or as it is.
func bold(_ text: String) -> String { colored(text, 1) }
