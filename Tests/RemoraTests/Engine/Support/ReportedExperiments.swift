// SPDX-License-Identifier: Apache-2.0
//
// Experiments that a server of settings sends, and those that a subscriber is told of.

@testable import Remora

/// What was reported: "name=variant" of each, by event.
final class ReportedExperiments: Sendable {
  private let events = Box<[[String]]>([])

  var sink: EventSink {
    { [events] event, _ in
      let told = event.newExperiments.map { experiment in
        [experiment.name, experiment.variant].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "=")
      }
      events.update { $0.append(told) }
    }
  }

  /// All of them, once there are so many events.
  func seen(_ count: Int) -> [String] {
    _ = events.wait { $0.count >= count }
    return events.read { $0.flatMap { $0 } }
  }

  var eventCount: Int { events.read { $0.count } }
}

/// Settings with these experiments.
func settings(_ experiments: (String, String)...) -> String {
  let items = experiments.map { #"{"name":"\#($0)","variant":"\#($1)"}"# }
  return #"{"experiments":[\#(items.joined(separator: ","))]}"#
}
