// SPDX-License-Identifier: Apache-2.0
//
// What a server says in the JSON body of an error response: by Kinto's members, or by those of RFC 9457.

/// The maximum size of an error response that is searched for a message.
private let mostBytes = 64 << 10

/// The maximum number of characters of a message that are shown.
private let mostCharacters = 300

/// Returns the message of an error response, escaped and truncated; nil if its body is not JSON with a message.
func serverMessage(in body: ReceivedBody) -> String? {
  defer { withExtendedLifetime(body) {} }
  guard body.count <= mostBytes, let json = try? ParsedJSON(text: body.bytes, named: "the error response") else {
    return nil
  }
  let parts = json.read { view -> [String] in
    let title = view.text("message") ?? view.text("title") ?? view.text("error")
    return [title, view.text("detail")].compactMap(\.self)
  }
  guard !parts.isEmpty else { return nil }
  let text = parts.joined(separator: ": ")
  let shown = printable(String(text.prefix(mostCharacters)))
  return text.count > mostCharacters ? shown + "…" : shown
}

extension JSONView {
  /// The string of a member, unless it is empty.
  fileprivate func text(_ name: StaticString) -> String? {
    guard isObject, let text = member(name)?.string, !text.isEmpty else { return nil }
    return text
  }
}
