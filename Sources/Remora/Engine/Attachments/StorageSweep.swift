// SPDX-License-Identifier: Apache-2.0

/// Removes unused files from the storage directory of a client. The attachments of records in any stored image or in an
/// open source are in use.
final class StorageSweep: Sendable {
  private let services: ClientServices
  let sweptAtMs = Confined<Int64?>(nil)

  init(_ services: ClientServices) { self.services = services }

  /// Marks the files of open sources and their servers as used, and removes unused files, once a day. The age of files
  /// is measured by the system's clock, which stamps them; the time of the next sweep by the client's clock.
  ///
  /// - Parameter openSources: Returns the open sources.
  func runIfDue(openSources: () -> [Source], _ exclusive: Exclusive) {
    let now = services.options.clock.nowMs
    if let last = sweptAtMs[exclusive], (now &- last).magnitude < dayMs.magnitude { return }
    sweptAtMs[exclusive] = now
    guard let storage = services.storage else { return }
    let sweep = DirectorySweep(storage)
    // A source may be open for longer than unused files are kept.
    let inUse = openSources().filter(\.core.usesStorage)
    for name in Set(inUse.flatMap(\.fileNames)) { sweep.noteUse(of: name, nowMs: storage.nowMs) }
    for name in Set(inUse.map(\.core.serverName)) { sweep.noteUse(ofServer: name, nowMs: storage.nowMs) }
    sweep.run(nowMs: storage.nowMs)
    sweep.runAttachments(
      keeping: {
        let sources = openSources()
        let images = services.lock.withLock { locked in sources.flatMap { $0.images(locked) } }
        return namedAttachments(in: storage, and: images)
      }, nowMs: storage.nowMs)
  }

  /// Returns the attachments that records refer to; nil if unknown, because an image cannot be read.
  private func namedAttachments(in storage: StorageDirectory, and images: [Image]) -> Set<AttachmentName>? {
    var names: Set<AttachmentName> = []
    for image in images { names.formUnion(image.namedAttachments) }
    for (name, slot) in storage.storedImages() {
      do throws(RemoraError) {
        guard let buffer = try storage.readImage(name, slot) else { continue }
        names.formUnion(try Image(buffer).namedAttachments)
      } catch {
        // A damaged image will never be read; any other may become readable again.
        guard error.code == .corrupt else { return nil }
      }
    }
    return names
  }
}

extension Image {
  /// The attachments of the image's records.
  fileprivate var namedAttachments: Set<AttachmentName> {
    let reader = reader(over: nil)
    var names: Set<AttachmentName> = []
    for index in 0..<reader.count {
      guard let entry = reader.entry(at: index) else { continue }
      if let digits = AttachmentMetadata.sha256(ofRecord: entry.value), let name = AttachmentName(hex64: digits) {
        names.insert(name)
      }
    }
    return names
  }
}
