// SPDX-License-Identifier: Apache-2.0
//
// Opening with a first subscriber that needs no handle.

@testable import Remora

extension Client {
  /// Opens a collection with a first subscriber.
  func openCollection(
    _ options: CollectionOptions, subscriber: EventSink?
  ) throws(RemoraError) -> OpenSource {
    try openCollection(options, first: subscriber.map { sink in { _ in sink } })
  }

  /// Opens a bundle with a first subscriber.
  func openBundle(_ options: BundleOptions, subscriber: EventSink?) throws(RemoraError) -> OpenSource {
    try openBundle(options, first: subscriber.map { sink in { _ in sink } })
  }

  /// Opens settings with a first subscriber.
  func openSettings(_ options: SettingsOptions, subscriber: EventSink?) throws(RemoraError) -> OpenSource {
    try openSettings(options, first: subscriber.map { sink in { _ in sink } })
  }
}
