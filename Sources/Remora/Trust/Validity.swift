// SPDX-License-Identifier: Apache-2.0
//
// The validity period of a certificate or of a whole chain. Half-open, as in OpenSSL: valid from the first instant,
// expired at the last.

internal import COpenSSL
internal import Glibc

/// An interval of wall time.
struct Validity: Sendable, Equatable {
  /// The first valid millisecond since 1970.
  var fromMs: Int64
  /// The first millisecond that is no longer valid.
  var untilMs: Int64

  /// Unlimited validity.
  static let unlimited = Validity(fromMs: .min, untilMs: .max)

  /// Whether the instant is in the period.
  func contains(_ instantMs: Int64) -> Bool { instantMs >= fromMs && instantMs < untilMs }

  /// Returns the common part of two periods; it contains no instant if they do not overlap.
  func intersection(_ other: Validity) -> Validity {
    Validity(fromMs: max(fromMs, other.fromMs), untilMs: min(untilMs, other.untilMs))
  }
}

/// Converts a certificate's time field; nil if it is malformed.
func milliseconds(of field: UnsafePointer<ASN1_TIME>?) -> Int64? {
  var parts = tm()
  guard let field, openssl_ASN1_TIME_to_tm(field, &parts) == 1 else {
    _ = Libcrypto.drainErrors()
    return nil
  }
  return Int64(timegm(&parts)) &* 1000
}

/// Returns an instant in whole seconds, rounded down, before 1970 as well.
func seconds(ofMs instantMs: Int64) -> Int {
  let (seconds, rest) = instantMs.quotientAndRemainder(dividingBy: 1000)
  return Int(rest < 0 ? seconds - 1 : seconds)
}

/// Formats an instant for people: `2021-04-24 15:04:05 UTC`.
package func utcText(_ instantMs: Int64) -> String {
  var time = time_t(seconds(ofMs: instantMs))
  var parts = tm()
  guard gmtime_r(&time, &parts) != nil else { return "\(instantMs) ms" }
  return Libcrypto.text(capacity: 64) { _ = strftime($0, $1, "%Y-%m-%d %H:%M:%S UTC", &parts) }
}
