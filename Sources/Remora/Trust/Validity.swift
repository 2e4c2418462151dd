// SPDX-License-Identifier: Apache-2.0
//
// The time in which a certificate, or a whole chain, holds.
// Half open, as OpenSSL reads it: valid from its first instant, expired at its last.

internal import COpenSSL
internal import Glibc

/// An interval of wall time.
struct Validity: Sendable, Equatable {
  /// The first valid millisecond since 1970.
  var fromMs: Int64
  /// The first millisecond that is no longer valid.
  var untilMs: Int64

  /// Always.
  static let unlimited = Validity(fromMs: .min, untilMs: .max)

  /// Whether the instant is inside.
  func contains(_ instantMs: Int64) -> Bool { instantMs >= fromMs && instantMs < untilMs }

  /// What both have in common; contains nothing when that is nothing.
  func intersection(_ other: Validity) -> Validity {
    Validity(fromMs: max(fromMs, other.fromMs), untilMs: min(untilMs, other.untilMs))
  }
}

/// The instant of a certificate's field, or nil when the field is malformed.
func milliseconds(of field: UnsafePointer<ASN1_TIME>?) -> Int64? {
  var parts = tm()
  guard let field, openssl_ASN1_TIME_to_tm(field, &parts) == 1 else {
    _ = Libcrypto.drainErrors()
    return nil
  }
  return Int64(timegm(&parts)) &* 1000
}

/// The whole seconds up to an instant, rounded down also before 1970.
func seconds(ofMs instantMs: Int64) -> Int {
  let (seconds, rest) = instantMs.quotientAndRemainder(dividingBy: 1000)
  return Int(rest < 0 ? seconds - 1 : seconds)
}

/// An instant for a person: `2021-04-24 15:04:05 UTC`.
package func utcText(_ instantMs: Int64) -> String {
  var time = time_t(seconds(ofMs: instantMs))
  var parts = tm()
  guard gmtime_r(&time, &parts) != nil else { return "\(instantMs) ms" }
  return Libcrypto.text(capacity: 64) { _ = strftime($0, $1, "%Y-%m-%d %H:%M:%S UTC", &parts) }
}
