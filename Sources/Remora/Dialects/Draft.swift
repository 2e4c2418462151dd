// SPDX-License-Identifier: Apache-2.0
//
// The draft of a refresh: the complete new content of a source, before any check. Merging copies and parses nothing:
// unchanged keys keep the base's entries.

/// The content of a source after a new document. Only the verify step can turn it into a `Verified`.
package struct Draft {
  /// The timestamp or version that the document states.
  package let version: Int64
  /// The candidate signatures of exactly this content.
  package let signatures: [ContentSignature]
  /// All keys with their values, sorted by key.
  package let entries: [Entry]
  /// The entries of the document: those that are new or changed, and all of a full document.
  package let documentEntries: [Entry]
  /// Whether an entry may have a filter.
  package let mayHaveFilters: Bool
  /// Owns the memory of new entries.
  let memory: EntryMemory?
  /// Owns the memory of the base's entries.
  private let base: Image?

  /// Takes a full document unchanged: a full response is never merged.
  package init(full document: Document) {
    version = document.version
    signatures = document.signatures
    entries = document.entries
    documentEntries = entries
    mayHaveFilters = document.hasFilters
    memory = document.memory
    base = nil
  }

  /// Takes packaged data with its candidate signatures.
  package init(packaged: PackagedImage) { self.init(of: packaged.image, signatures: packaged.signatures) }

  /// Takes the entire content of an image.
  init(of image: Image, signatures: [ContentSignature] = []) {
    let reader = image.reader(over: nil)
    version = image.metadata.version
    self.signatures = signatures
    entries = (0..<reader.count).compactMap { reader.entry(at: $0) }
    documentEntries = entries
    mayHaveFilters = image.metadata.mayHaveFilters
    memory = nil
    base = image
  }

  /// Merges a diff with the base for which it was requested. Removals of unknown keys are ignored.
  package init(merging document: Document, onto base: Image) {
    version = document.version
    signatures = document.signatures
    mayHaveFilters = document.hasFilters || base.metadata.mayHaveFilters
    memory = document.memory
    self.base = base
    let reader = base.reader(over: nil)
    var merged: [Entry] = []
    merged.reserveCapacity(reader.count &+ document.entries.count)
    var changed = document.entries[...]
    for index in 0..<reader.count {
      guard let old = reader.entry(at: index) else { continue }
      var isReplaced = false
      while let new = changed.first {
        let order = compareBytes(new.key, old.key)
        guard order <= 0 else { break }
        merged.append(new)
        changed.removeFirst()
        isReplaced = isReplaced || order == 0
      }
      if isReplaced { continue }
      if !document.removed.isEmpty, document.removed.contains(Array(old.key)) { continue }
      merged.append(old)
    }
    merged.append(contentsOf: changed)
    entries = merged
    documentEntries = document.entries
  }

  /// Whether an image has exactly these entries.
  package func hasSameEntries(as image: Image) -> Bool {
    let reader = image.reader(over: nil)
    guard reader.count == entries.count else { return false }
    return entries.indices.allSatisfy { index in
      guard let other = reader.entry(at: index) else { return false }
      return compareBytes(entries[index].key, other.key) == 0 && entries[index].value.isEqual(to: other.value)
    }
  }
}
