// SPDX-License-Identifier: Apache-2.0
//
// Whether jansson has met a member name twice. Its own check costs a second search for each name; its values are
// counted instead, because it replaces the value of a repeated name.

internal import CJansson

/// Whether a parsed value lacks members of its text. Examines a value only as long as parts are missing: that of a flat
/// object only its size.
///
/// - Parameter parts: The parts of the text, as `JSONScan` counts them.
func lacksMembers(_ json: UnsafeMutablePointer<json_t>, of parts: Int) -> Bool {
  var missing = parts &- 1
  count(json, &missing)
  return missing != 0
}

private func count(_ json: UnsafeMutablePointer<json_t>, _ missing: inout Int) {
  switch json.pointee.type {
  case JSON_ARRAY:
    let size = json_array_size(json)
    missing &-= max(1, size)
    var index = 0
    while missing > 0, index < size {
      if let element = json_array_get(json, index) { count(element, &missing) }
      index &+= 1
    }
  case JSON_OBJECT:
    missing &-= max(1, json_object_size(json))
    var iterator = missing > 0 ? json_object_iter(json) : nil
    while missing > 0, let current = iterator {
      if let value = json_object_iter_value(current) { count(value, &missing) }
      iterator = json_object_iter_next(json, current)
    }
  default: break
  }
}
