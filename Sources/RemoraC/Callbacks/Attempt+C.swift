// SPDX-License-Identifier: Apache-2.0
//
// Calls remora_attempt_callback of remora.h.

internal import CRemora
internal import Remora

/// Returns a sink that calls the host's callback with each attempt.
func attemptSink(
  _ callback: @escaping remora_attempt_callback, _ userData: UserData
) -> @Sendable (Attempt) -> Void {
  { attempt in
    attempt.source.server.withCString { server in
      attempt.source.name.withCString { name in
        withError(attempt.result.error, of: attempt.source.name) { error in
          var entry = remora_attempt(
            struct_size: MemoryLayout<remora_attempt>.size, source_name: name, server: server,
            kind: attempt.source.kind.rawValue, outcome: attempt.result.outcome.rawValue,
            status: error?.pointee.status ?? REMORA_OK,
            http_status: attempt.figures.httpStatus, duration_ms: attempt.figures.durationMs,
            bytes: attempt.figures.bytes, error: error)
          HostCalling.call { callback(&entry, userData.pointer) }
        }
      }
    }
  }
}
