// SPDX-License-Identifier: Apache-2.0
//
// Sections "events" and "subscribe" of remora.h.

public import CRemora
internal import Glibc
internal import Remora

private struct SubscriptionHandle {
  let opened: OpenSource
  let subscription: Subscription
}

@_cdecl("remora_subscribe") @implementation
public func remora_subscribe(
  _ source: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ flags: UInt32,
  _ callback: remora_event_callback?, _ user_data: UnsafeMutableRawPointer?,
  _ free_user_data: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
  _ out_subscription: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  let userData = UserData(user_data, free_user_data)
  return boundary(error, of: source) { () throws(RemoraError) in
    let source = try require(source, "source")
    let opened = borrow(source, as: SourceHandle.self).pointee.opened
    let callback = try require(callback, "callback")
    let isReplayed = try hasFlag(REMORA_SUBSCRIBE_REPLAY, in: flags)
    let key = try key.map { key throws(RemoraError) in try keyBytes(key) }
    let subscription = try opened.subscribe(
      key: key, replay: isReplayed, eventSink(callback, userData, of: OwnedSourceHandle(source)))
    out_subscription?.pointee = export(SubscriptionHandle(opened: opened, subscription: subscription))
  }
}

@_cdecl("remora_unsubscribe") @implementation
public func remora_unsubscribe(_ subscription: OpaquePointer?) {
  guard let subscription else { return }
  ForkGate.inside {
    let handle = consume(subscription, as: SubscriptionHandle.self)
    handle.opened.unsubscribe(handle.subscription)
  }
}

/// Returns a sink that calls the host's callback with each event. The events contain the source handle that subscribed.
func eventSink(
  _ callback: @escaping remora_event_callback, _ userData: UserData, of source: OwnedSourceHandle
) -> EventSink {
  { event, changes in
    withEvent(event, changes, of: source) { event in
      HostCalling.call { callback(event, userData.pointer) }
    }
  }
}

/// Calls `body` with an event as the header's structure, which is valid during the call.
private func withEvent(
  _ event: Event, _ changes: [Change], of source: OwnedSourceHandle, _ body: (UnsafePointer<remora_event>) -> Void
) {
  let (old, new, staged) = (exportSnapshot(event.old), exportSnapshot(event.new), event.staged.map(exportSnapshot))
  defer { for snapshot in [old, new, staged] { remora_snapshot_release(snapshot) } }
  let label = source.label
  withArrays(of: event, changes, source) { changes, experiments, namespaces in
    withErrors(of: event, label.name) { name, error, storageError in
      var event = remora_event(
        struct_size: MemoryLayout<remora_event>.size, source: source.pointer, source_name: name,
        kind: label.kind.rawValue, cause: event.cause.rawValue, outcome: event.outcome.rawValue,
        origin: event.new.origin.rawValue, version: event.new.base.metadata.version, changes: changes.baseAddress,
        change_count: changes.count, old_snapshot: old, new_snapshot: new, staged_snapshot: staged,
        new_experiments: experiments.isEmpty ? nil : experiments.baseAddress, new_experiment_count: experiments.count,
        error: error, storage_error: storageError, namespaces: namespaces,
        old_freshness: event.freshness.old.rawValue, new_freshness: event.freshness.new.rawValue)
      body(&event)
    }
  }
}

/// Calls `body` with the arrays of an event: its changes, experiments and namespaces, which are valid during the call.
private func withArrays(
  of event: Event, _ changes: [Change], _ source: OwnedSourceHandle,
  _ body: (
    UnsafeBufferPointer<UnsafePointer<remora_change>?>, UnsafeBufferPointer<UnsafePointer<remora_experiment>?>,
    UnsafePointer<UnsafePointer<CChar>?>?
  ) -> Void
) {
  // NULL ends the array. Its strings are valid as long as the new snapshot.
  let namespaces = source.core.configuration(of: event).map { $0.map(\.entry.key.cString) + [nil] }
  withPointers(to: changes.map { remora_change($0, in: event.new) }) { changes in
    withPointers(to: event.newExperiments.map { remora_experiment($0) }) { experiments in
      guard let namespaces else { return body(changes, experiments, nil) }
      namespaces.withUnsafeBufferPointer { body(changes, experiments, $0.baseAddress) }
    }
  }
}

/// Calls `body` with the name of a source, and the errors of its event, which are valid during the call.
private func withErrors(
  of event: Event, _ name: String,
  _ body: (UnsafePointer<CChar>, UnsafePointer<remora_error>?, UnsafePointer<remora_error>?) -> Void
) {
  name.withCString { cName in
    withError(event.error, of: name) { error in
      withError(event.storageError, of: name) { body(cName, error, $0) }
    }
  }
}
