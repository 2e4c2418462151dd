// SPDX-License-Identifier: Apache-2.0
//
// A queue whose operations take constant time on average, however many elements wait.

/// Elements that are removed in the order in which they were added.
package struct Queue<Element> {
  /// The first elements, in reverse order, so that removing the next one moves no other.
  private var next: [Element] = []
  /// The elements after those in `next`, in order.
  private var later: [Element] = []

  package init() {}

  package var isEmpty: Bool { next.isEmpty && later.isEmpty }
  package var count: Int { next.count &+ later.count }

  package mutating func append(_ element: Element) { later.append(element) }

  /// Removes the next element; nil if there is none.
  package mutating func removeFirst() -> Element? {
    if next.isEmpty {
      next = later.reversed()
      later = []
    }
    return next.popLast()
  }
}
