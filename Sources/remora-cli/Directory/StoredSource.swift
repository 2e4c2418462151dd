// SPDX-License-Identifier: Apache-2.0
//
// One source in a storage directory, as a host that opens it now would find it. Only reads.

internal import Remora

struct StoredSource {
  let name: StorageName
  let identity: SourceIdentity
  let state: StoredState
  /// The former live image.
  let previous: Image?
  /// Data that an installer has stored for the next opening.
  let seed: Image?
  /// The images of packaged data that hosts have stored; their programs may have other data by now.
  let packaged: [Image]
  let overrides: OverrideList
  /// The problems of its files.
  let problems: [RemoraError]
  /// The pause that its server has requested.
  let backoff: Backoff

  /// Reads the files of a name; nil if no image states whose they are. The problems of files are kept.
  ///
  /// - Parameter files: The files of the directory.
  init?(_ name: StorageName, in storage: StorageDirectory, _ files: [StoredFile]) {
    var images: [ImageSlot: Image] = [:]
    var problems: [RemoraError] = []
    func keep<Found>(_ read: () throws(RemoraError) -> Found?) -> Found? {
      do throws(RemoraError) {
        return try read()
      } catch {
        problems.append(error)
        return nil
      }
    }
    // In the order of a host, for which a staged image may become live meanwhile.
    for slot in [ImageSlot.staged, .live, .rejected, .previous] {
      images[slot] = keep { () throws(RemoraError) in
        try image(storage.readImage(name, slot), of: .image(name, slot), in: storage)
      }
    }
    let stored = keep { () throws(RemoraError) in
      try image(storage.readOverrides(name), of: .overrides(name), in: storage)
    }
    seed = keep { () throws(RemoraError) in try image(storage.readSeed(name), of: .seed(name), in: storage) }
    packaged = storage.packagedImages(of: name, among: files)
    let known = images.values + [stored, seed].compactMap(\.self) + packaged
    guard let identity = known.lazy.compactMap({ SourceIdentity($0.metadata.identity) }).first else { return nil }
    (self.name, self.identity) = (name, identity)
    state = StoredState(of: identity.text, name, in: storage) { images[$0] }
    let liveGeneration = state.image?.metadata.generation ?? 0
    previous = images[.previous].flatMap { $0.metadata.generation < liveGeneration ? $0 : nil }
    let list = stored.flatMap { stored in
      keep { () throws(RemoraError) in try OverrideList(stored: stored, of: identity.text) }
    }
    overrides = list ?? OverrideList()
    backoff = storage.backoff(of: identity)
    self.problems = problems
  }

  /// Returns what a host in this context reads, without its default values and packaged data.
  func snapshot(in context: FilterContext) throws(RemoraError) -> Snapshot {
    try identity.compose(state.image, under: overrides, in: context)
  }
}

extension SourceIdentity {
  /// Returns the data of an image without filters and overrides, as a host counts it: a key of a bundle or of settings
  /// whose value is null does not exist.
  func received(_ image: Image?) throws(RemoraError) -> Snapshot {
    if let image, kind == .collection { return Snapshot(base: image, origin: .cached) }
    return try compose(image, under: OverrideList(), in: FilterContext())
  }

  /// Returns what a host reads if an image is live, or if it has no data.
  fileprivate func compose(
    _ image: Image?, under overrides: OverrideList, in context: FilterContext
  ) throws(RemoraError) -> Snapshot {
    let seed = HashSeed.random()
    let nothing = try Snapshot.empty(hashSeed: seed)
    var composition = Composition(hiding: hiding, nothing: nothing) { seed }
    let origin: Origin = image.map { $0.metadata.isPackaged ? .packaged : .cached } ?? .none
    return try composition.compose(image ?? nothing.base, origin, under: overrides, in: context)
  }
}

extension StorageDirectory {
  /// Returns the pause that the server of a source has requested.
  fileprivate func backoff(of identity: SourceIdentity) -> Backoff {
    let server = identity.serverIdentity.flatMap { readServerLedger(StorageName(hashing: $0)) }
    return server?.backoff ?? Backoff()
  }

  /// Returns the images of packaged data that are stored for a source.
  fileprivate func packagedImages(of name: StorageName, among files: [StoredFile]) -> [Image] {
    files.compactMap { file in
      guard case .packaged(name, let digest) = file, let buffer = try? readPackaged(name, digest: digest),
        let length = ImageFormat.statedLength(of: buffer.bytes), let image = buffer.prefix(length)
      else { return nil }
      return try? Image(image)
    }
  }
}

/// Returns the image in a file, whose name is added to the errors.
private func image(
  _ buffer: ImageBuffer?, of file: StoredFile, in storage: StorageDirectory
) throws(RemoraError) -> Image? {
  guard let buffer else { return nil }
  do throws(RemoraError) {
    return try Image(buffer)
  } catch {
    throw RemoraError(error.code, "\(storage.path)/\(file.fileName): \(error.message)")
  }
}
