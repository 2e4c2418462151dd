// SPDX-License-Identifier: Apache-2.0
//
// Callbacks that receive events: the option `onEvent`, and subscriptions.

internal import Remora

/// A registered callback of a source; see `Source.subscribe`. A subscription ends when `cancel` is called, its last
/// reference is released, or the source is closed.
public final class Subscription: Sendable {
  private let source: Source
  private let core: Remora.Subscription

  fileprivate init(_ core: Remora.Subscription, to source: Source) { (self.core, self.source) = (core, source) }

  deinit { cancel() }

  /// Ends the subscription: the callback will not be called again. If the callback is running on another thread, waits
  /// until it has returned. But inside a callback, this function returns at once.
  public func cancel() {
    ForkGate.inside { source.opened.unsubscribe(core) }
  }
}

extension Source {
  /// Registers a callback for the events of the source, on the client's thread of callbacks. Use a callback where a
  /// loop over `events` does not fit. Sends no request.
  ///
  /// The callbacks of a client run one at a time, in the order of the events. Callbacks may call every function. Use
  /// `event.source` in the callback; a closure that captures the subscription keeps it alive.
  ///
  /// - Parameters:
  ///   - key: Limits the subscription to events that change the value of this key. Nil means all events.
  ///   - replay: Whether the first event is the current state, with the cause `.opened`.
  ///   - body: The callback, which receives each event.
  /// - Returns: The subscription, which ends when it is released. It keeps the source open.
  /// - Throws: `.closed`; `.unavailable` if no thread can be started.
  public func subscribe(
    to key: String? = nil, replay: Bool = false, _ body: @escaping @Sendable (Event) -> Void
  ) throws(RemoraError) -> Subscription {
    let sink = eventSink(to: self, key: key, body)
    return Subscription(
      try call(of: label) { () throws(Remora.RemoraError) in
        try opened.subscribe(key: key.map { Array($0.utf8) }, replay: replay, sink)
      }, to: self)
  }
}

/// Returns a sink that passes events to the program. Holds no reference to the source, which holds the sink.
func eventSink(to source: Source, key: String?, _ body: @escaping @Sendable (Event) -> Void) -> EventSink {
  { [weak source] event, _ in
    guard let source else { return }
    let event = Event(event, ofKey: key, of: source)
    _ = HostCalling.call { body(event) }
  }
}
