// SPDX-License-Identifier: Apache-2.0
//
// The request parameters of settings: a list that is written as a dictionary literal, or filled while the program runs.

/// Names and values of query items, in the order in which they are sent. A name may occur several times.
///
///     var params: RequestParameters = ["user": "u1", "version": "2.0"]
///     if let segment { params.append("segment", segment) }
public struct RequestParameters: ExpressibleByDictionaryLiteral, RandomAccessCollection, Sendable {
  private var items: [(name: String, value: String)]

  /// Creates an empty list.
  public init() { items = [] }

  /// Creates a list from a dictionary literal, with its order and its repetitions.
  public init(dictionaryLiteral elements: (String, String)...) {
    items = elements.map { (name: $0, value: $1) }
  }

  /// Adds a parameter at the end, even if the list already has one with this name.
  public mutating func append(_ name: String, _ value: String) { items.append((name: name, value: value)) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { items.count }
  public subscript(index: Int) -> (name: String, value: String) { items[index] }
}
