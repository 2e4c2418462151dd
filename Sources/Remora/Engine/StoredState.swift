// SPDX-License-Identifier: Apache-2.0
//
// What a storage directory holds of a source. The images are the truth; the ledger is a hint, and rebuilt from them.

/// A source as it was stored.
struct StoredState {
  /// The newest image that passes its checks.
  private(set) var image: Image?
  /// The ledger, corrected by the image.
  private(set) var ledger: SourceLedger
  /// Why an image could not be used.
  private(set) var problem: RemoraError?
  /// Whether that was the live one.
  private(set) var isLiveDamaged = false

  /// Reads the live image, or the previous one where a crash or damage took the live one.
  init(of identity: String, _ name: StorageName, in storage: StorageDirectory?) {
    ledger = storage?.readLedger(name) ?? SourceLedger()
    guard let storage else { return }
    do throws(RemoraError) {
      image = try read(.live, of: identity, name, in: storage)
    } catch {
      problem = error
      isLiveDamaged = true
    }
    if image == nil {
      do throws(RemoraError) {
        image = try read(.previous, of: identity, name, in: storage)
      } catch {
        problem = problem ?? error
      }
    }
    guard let metadata = image?.metadata else { return }
    if metadata.epoch > ledger.epoch {
      ledger = SourceLedger()
      ledger.epoch = metadata.epoch
    }
    ledger.generation = max(ledger.generation, metadata.generation)
    ledger.floor = max(ledger.floor, metadata.version)
  }
  /// The image in a slot; nil when there is none.
  private func read(
    _ slot: ImageSlot, of identity: String, _ name: StorageName, in storage: StorageDirectory
  ) throws(RemoraError) -> Image? {
    guard let buffer = try storage.readImage(name, slot) else { return nil }
    let image = try Image(buffer)
    guard image.metadata.identity == identity else {
      throw RemoraError(.corrupt, "the image belongs to another source")
    }
    // A previous image of an older epoch was forgotten by a reset.
    return image.metadata.epoch >= ledger.epoch ? image : nil
  }
}
