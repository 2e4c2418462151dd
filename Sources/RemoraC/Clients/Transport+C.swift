// SPDX-License-Identifier: Apache-2.0
//
// Section "transport and clock" of remora.h.

public import CRemora
internal import Remora

@_cdecl("remora_respond") @implementation
public func remora_respond(
  _ request_id: Int64, _ response: UnsafePointer<remora_http_response>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  boundary(error) { () throws(RemoraError) in
    let response = try read(response, "response")
    let id = TransferID(number: UInt64(exactly: request_id) ?? 0)
    try Runtime.shared.hostRequests.accept(answerTo: id) { limit throws(RemoraError) in
      try answer(response, mostBytes: limit)
    }
  }
}

@_cdecl("remora_clock_changed") @implementation
public func remora_clock_changed() {
  ForkGate.inside { Client.readClocks(of: .shared) }
}

/// Returns functions that call the host's transport; nil for NULL.
func hostCalls(
  _ transport: UnsafePointer<remora_transport>?, _ userData: UserData
) throws(RemoraError) -> HostCalls? {
  guard transport != nil else { return nil }
  let transport = try read(transport, "transport")
  let send = try require(transport.send, "transport.send")
  return HostCalls(
    send: { (id: TransferID, request: HTTPRequest, url: String) in
      withRequest(id: Int64(clamping: id.number), request.method.token, url, request.headerLines) {
        request in
        HostCalling.call { send(request, userData.pointer) }
      }
    }, cancel: cancelSink(transport.cancel, userData))
}

private func cancelSink(
  _ callback: remora_cancel_callback?, _ userData: UserData
) -> (@Sendable (TransferID) -> Void)? {
  guard let callback else { return nil }
  return { id in HostCalling.call { callback(Int64(clamping: id.number), userData.pointer) } }
}

/// Returns a function that reads the host's clock; nil for NULL.
func clockReader(
  _ clock: UnsafePointer<remora_clock>?, _ userData: UserData
) throws(RemoraError) -> (@Sendable () -> HostTime?)? {
  guard clock != nil else { return nil }
  let read = try require(try read(clock, "clock").read, "clock.read")
  return {
    var time = HostTime(wallMs: 0, monotonicMs: 0)
    return HostCalling.call {
      read(&time.wallMs, &time.monotonicMs, userData.pointer)
      return time
    }
  }
}

/// Copies an answer from the host's memory.
private func answer(_ response: remora_http_response, mostBytes limit: Int) throws(RemoraError) -> HostResponse {
  guard response.failure == REMORA_OK else {
    return try HostResponse(
      failure: RemoraError.Code(status: response.failure), message: text(response.message, "message"),
      status: response.http_status)
  }
  guard response.body_size >= 0 else { throw .invalidArgument("body_size", "is larger than any body can be") }
  let start = response.body_size == 0 ? nil : try require(response.body, "body")
  return try HostResponse(
    status: response.http_status, headers: texts(response.headers, "headers"),
    copying: UnsafeRawBufferPointer(start: start, count: response.body_size), mostBytes: limit)
}

/// Calls `body` with a request as the header's structure, which is valid during the call.
func withRequest(
  id: Int64, _ method: String, _ url: String, _ headers: [String],
  _ body: (UnsafePointer<remora_http_request>) -> Void
) {
  withHeaders(headers) { headers in
    method.withCString { method in
      url.withCString { url in
        var request = remora_http_request(
          struct_size: MemoryLayout<remora_http_request>.size, id: id, method: method, url: url, headers: headers)
        body(&request)
      }
    }
  }
}

/// Calls `body` with header lines as a NULL-terminated array of C strings.
private func withHeaders(_ lines: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void) {
  var pointers: [UnsafePointer<CChar>?] = []
  func add(_ rest: ArraySlice<String>) {
    guard let line = rest.first else {
      pointers.append(nil)
      return body(pointers)
    }
    line.withCString {
      pointers.append($0)
      add(rest.dropFirst())
    }
  }
  add(lines[...])
}
