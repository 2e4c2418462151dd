// SPDX-License-Identifier: Apache-2.0
//
// A binary heap of objects. Each object knows its position, so it can be removed at any time without a search.

/// An object that can be in one heap.
protocol HeapMember: AnyObject {
  /// The position in the heap; nil if the object is in none. Only `Heap` changes it.
  var heapPosition: Int? { get set }

  /// Whether the heap returns this object before another one.
  func precedes(_ other: Self) -> Bool
}

/// Objects of which the first one is found at once. Insertion and removal take logarithmic time.
///
/// Invariant: no object precedes its parent, which is at `(position - 1) / 2`.
struct Heap<Member: HeapMember> {
  private var members: [Member] = []

  var isEmpty: Bool { members.isEmpty }

  /// The member that no other one precedes.
  var first: Member? { members.first }

  mutating func insert(_ member: Member) {
    members.append(member)
    place(member, at: members.count &- 1)
  }

  /// Removes an object. Returns whether the heap contained it.
  @discardableResult
  mutating func remove(_ member: Member) -> Bool {
    // After a fork, a member of the parent's heap, which the child has abandoned, still has its position.
    guard let position = member.heapPosition, position < members.count, members[position] === member else {
      return false
    }
    member.heapPosition = nil
    let last = members.removeLast()
    if last !== member { place(last, at: position) }
    return true
  }

  /// Puts a member at a position whose content is no longer needed, and restores the invariant.
  private mutating func place(_ member: Member, at start: Int) {
    var position = start
    while position > 0, member.precedes(members[(position &- 1) / 2]) {
      put(members[(position &- 1) / 2], at: position)
      position = (position &- 1) / 2
    }
    while let child = firstChild(of: position), members[child].precedes(member) {
      put(members[child], at: position)
      position = child
    }
    put(member, at: position)
  }

  private mutating func put(_ member: Member, at position: Int) {
    members[position] = member
    member.heapPosition = position
  }

  /// Returns the position of the child that precedes the other one; nil if there is no child.
  private func firstChild(of position: Int) -> Int? {
    let left = 2 &* position &+ 1
    guard left < members.count else { return nil }
    let right = left &+ 1
    return right < members.count && members[right].precedes(members[left]) ? right : left
  }
}
