// SPDX-License-Identifier: Apache-2.0
//
// Which attachments are still wanted: those that a record names, in an image of the directory or in a source that is open.

extension Client {
  /// Removes what nobody uses from the storage directory; once in a day. By the system's clock, which
  /// stamps the files; when it is due is the client's clock's business.
  func sweepIfDue(_ right: borrowing Exclusive) {
    let now = options.clock.nowMs
    if let last = sweptAtMs.read(right, \.self), (now &- last).magnitude < dayMs.magnitude { return }
    sweptAtMs.set(right, \.self, to: now)
    guard let storage else { return }
    storage.sweep(nowMs: storage.nowMs)
    storage.sweepAttachments(keeping: { namedAttachments(in: storage) }, nowMs: storage.nowMs)
  }

  /// The attachments that records name; nil when that cannot be told, because an image cannot be read.
  private func namedAttachments(in storage: StorageDirectory) -> Set<AttachmentName>? {
    var names: Set<AttachmentName> = []
    let sources = runtime.lock.withLock { locked in
      openSources(locked).map { ($0.live(locked), $0.staged(locked), $0.options.packaged) }
    }
    for (live, staged, packaged) in sources {
      for image in [live.base, staged?.base, packaged?.image] { names.formUnion(image?.namedAttachments ?? []) }
    }
    for (name, slot) in storage.storedImages() {
      do throws(RemoraError) {
        guard let buffer = try storage.readImage(name, slot) else { continue }
        names.formUnion(try Image(buffer).namedAttachments)
      } catch {
        // Nobody will ever read a damaged image; any other may be read again.
        guard error.code == .corrupt else { return nil }
      }
    }
    return names
  }
}

extension Image {
  /// The attachments of its records.
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
