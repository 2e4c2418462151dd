// SPDX-License-Identifier: Apache-2.0
//
// The streams of a source's events and changes.

internal import Remora

/// The events of a source since the call of `Source.events`, the oldest first. Use each stream in one loop only.
///
/// The loop ends when the source or client is closed, or the task is cancelled. The subscription ends when the stream
/// is released. Events that arrive while the body of the loop runs are kept; successive events that report new live
/// data are merged into one if they have the same cause and outcome. A stream keeps its source open.
public struct Events: AsyncSequence, Sendable {
  public typealias Element = Event
  public typealias Failure = Never

  let stream: EventStream

  public func makeAsyncIterator() -> Iterator { Iterator(stream: stream) }

  /// The iterator of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: EventStream

    /// Returns the next event; nil at the end of the stream, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? { await stream.next() }
  }
}

/// The changed keys of a source, one by one, since the call of `Source.changes`. See `Events`.
public struct Changes: AsyncSequence, Sendable {
  public typealias Element = Change
  public typealias Failure = Never

  let stream: EventStream

  public func makeAsyncIterator() -> Iterator { Iterator(stream: stream) }

  /// The iterator of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: EventStream
    private var unread: ArraySlice<Change> = []

    init(stream: EventStream) { self.stream = stream }

    /// Returns the next change; nil at the end of the stream, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
      while unread.isEmpty {
        guard let event = await stream.next() else { return nil }
        unread = event.changes[...]
      }
      return unread.popFirst()
    }
  }
}

/// One subscription of a source, which ends with this object.
final class EventStream: Sendable {
  private let mailbox = Mailbox()
  private let source: Source
  private let key: String?
  private let subscription: Remora.Subscription?

  /// Subscribes to a source. If the client is closed or no thread can be started, the stream is at its end.
  init(of source: Source, key: String?, replay: Bool) {
    self.source = source
    self.key = key
    let opened = source.opened
    let sink = Self.sink(to: mailbox)
    subscription = try? call { () throws(Remora.RemoraError) in
      try opened.subscribe(key: key.map { Array($0.utf8) }, replay: replay, sink)
    }
  }

  deinit {
    guard let subscription else { return }
    ForkGate.inside { source.opened.unsubscribe(subscription) }
  }

  /// Returns the next event; nil at the end of the stream, or if the task is cancelled.
  func next() async -> Event? { await mailbox.next().map { Event($0, ofKey: key, of: source) } }

  /// Returns a sink that adds events to a mailbox, and ends the stream when the engine releases it.
  private static func sink(to mailbox: Mailbox) -> EventSink {
    let ending = Ending { mailbox.end() }
    return { event, _ in withExtendedLifetime(ending) { mailbox.add(event) } }
  }
}
