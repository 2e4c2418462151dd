// SPDX-License-Identifier: Apache-2.0
//
// The reports of a client: log lines, attempts, and the results of a sync.

internal import Remora

/// The severity of a log line.
public enum LogLevel: String, CaseIterable, Sendable {
  case error, warning, info, debug
}

/// The kind of a source.
public enum SourceKind: String, CaseIterable, Sendable {
  case collection, bundle, settings

  init(_ kind: Remora.SourceKind) {
    switch kind {
    case .collection: self = .collection
    case .bundle: self = .bundle
    case .settings: self = .settings
    }
  }
}

/// A log line.
public struct LogEntry: Hashable, Sendable {
  /// The severity.
  public let level: LogLevel
  /// The kind of the source; nil if the line does not concern a single source.
  public let kind: SourceKind?
  /// The name of the source; nil if the line does not concern a single source.
  public let sourceName: String?
  /// The kind and name of the source, if there is one, and the message. Contains no control characters.
  public let message: String
}

/// The outcome and the cost of one attempt to refresh a source.
public struct Attempt: Hashable, Sendable {
  /// The name of the source, as in `Source.name`; `"monitor/changes"` for a server's monitor (list of collections).
  public let sourceName: String
  /// The address of the server.
  public let server: String
  /// The kind of the source; `.collection` for a monitor.
  public let kind: SourceKind
  /// The outcome; `.updated` for the response of a monitor.
  public let outcome: Outcome
  /// The reason, if the outcome is `.refused` or `.failed`.
  public let error: RemoraError?
  /// The duration, without the time spent waiting for another process.
  public let duration: Duration
  /// The number of bytes of all received bodies, decoded.
  public let bytes: Int
  /// The HTTP status of the last response; nil if no complete response was received.
  public let httpStatus: Int?
}

/// The results of a sync.
public struct SyncReport: Hashable, Sendable {
  /// The result of one source.
  public struct Item: Hashable, Sendable {
    /// The name of the source.
    public let sourceName: String
    /// The address of the server.
    public let server: String
    /// The kind of the source.
    public let kind: SourceKind
    /// The outcome of the refresh of the source.
    public let outcome: Outcome
    /// The reason, if the outcome is `.refused` or `.failed`.
    public let error: RemoraError?
  }

  /// The results of the sources that have a server, in the order of opening.
  public let items: [Item]
  /// The error of the first source that failed. Its message has the number of failed sources. Nil if none failed.
  public let error: RemoraError?

  /// The number of sources with the outcome `.updated`.
  public var updated: Int { count(.updated) }
  /// The number of sources with the outcome `.unchanged` or `.notNewer`.
  public var unchanged: Int { count(.unchanged, .notNewer) }
  /// The number of sources with the outcome `.staged`.
  public var staged: Int { count(.staged) }
  /// The number of sources with the outcome `.refused` or `.failed`.
  public var failed: Int { count(.refused, .failed) }

  private func count(_ outcomes: Outcome...) -> Int { items.count { outcomes.contains($0.outcome) } }
}

extension Remora.LogLevel {
  init(_ level: LogLevel) {
    switch level {
    case .error: self = .error
    case .warning: self = .warning
    case .info: self = .info
    case .debug: self = .debug
    }
  }
}

extension LogEntry {
  init(_ line: LogLine) {
    let level: LogLevel =
      switch line.level {
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .debug: .debug
      }
    self.init(
      level: level, kind: line.source.map { SourceKind($0.kind) }, sourceName: line.source?.name, message: line.text)
  }
}

extension Attempt {
  init(_ attempt: Remora.Attempt) {
    self.init(
      sourceName: attempt.source.name, server: attempt.source.server, kind: SourceKind(attempt.source.kind),
      outcome: Outcome(attempt.result.outcome),
      error: attempt.result.error.map { RemoraError($0, of: attempt.source) },
      duration: .milliseconds(attempt.figures.durationMs), bytes: Int(attempt.figures.bytes),
      httpStatus: attempt.figures.httpStatus == 0 ? nil : Int(attempt.figures.httpStatus))
  }
}

extension SyncReport {
  init(_ report: Remora.SyncReport) {
    self.init(
      items: report.items.map { item in
        Item(
          sourceName: item.source.name, server: item.source.server, kind: SourceKind(item.source.kind),
          outcome: Outcome(item.result.outcome),
          error: item.result.error.map { RemoraError($0, of: item.source) })
      },
      error: report.error.map { RemoraError($0, of: nil) })
  }
}
