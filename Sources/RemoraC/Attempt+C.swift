// SPDX-License-Identifier: Apache-2.0
//
// remora_attempt_callback of remora.h.

internal import CRemora
internal import Remora

/// The sink that calls a host's callback with each attempt.
func attemptSink(
  _ callback: @escaping remora_attempt_callback, _ userData: UserData
) -> @Sendable (Attempt) -> Void {
  { attempt in
    var error = makeError(attempt.result.error, of: attempt.source.name)
    let status = error.status
    attempt.source.server.withCString { server in
      attempt.source.name.withCString { name in
        withUnsafePointer(to: &error) { error in
          var told = remora_attempt(
            struct_size: MemoryLayout<remora_attempt>.size, source_name: name, server: server,
            kind: attempt.source.kind.rawValue, outcome: attempt.result.outcome.rawValue, status: status,
            http_status: attempt.figures.httpStatus, duration_ms: attempt.figures.durationMs,
            bytes: attempt.figures.bytes, error: status == REMORA_OK ? nil : error)
          Runtime.callHost { callback(&told, userData.pointer) }
        }
      }
    }
  }
}
