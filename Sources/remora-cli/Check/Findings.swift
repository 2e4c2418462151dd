// SPDX-License-Identifier: Apache-2.0
//
// The findings of a check, and the exit status that they cause.

internal import Remora

/// The problems of a published tree.
struct Findings {
  private struct Finding {
    /// Nil for a warning: clients work, but something needs attention.
    let code: RemoraError.Code?
    let text: String
  }

  private var findings: [Finding] = []

  /// Adds a problem for which clients would refuse data, or would not notice it.
  mutating func add(_ error: RemoraError, at place: String) {
    findings.append(Finding(code: error.code, text: "\(place): \(error.message)"))
  }

  mutating func warn(_ text: String) { findings.append(Finding(code: nil, text: text)) }

  /// The exit status: 0 without findings, 1 with warnings only, else that of the first error.
  var status: Int32 {
    if let code = findings.lazy.compactMap(\.code).first { return exitStatus(of: code) }
    return findings.isEmpty ? 0 : 1
  }

  /// One line for each finding.
  var lines: String {
    findings.map { "\($0.code == nil ? "warning" : "error"): \(printable($0.text))\n" }.joined()
  }

  /// The findings as JSON objects.
  var json: [[UInt8]] {
    get throws(RemoraError) {
      var objects: [[UInt8]] = []
      for finding in findings {
        var object = CanonicalObject()
        try object.set("level", string: finding.code == nil ? "warning" : "error")
        try object.set("text", string: finding.text)
        objects.append(try object.text)
      }
      return objects
    }
  }
}
