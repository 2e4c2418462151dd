// SPDX-License-Identifier: Apache-2.0

//! Conversions between Rust's durations and times and the library's milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts the time limit of a call: `None` becomes -1. Rounds up to milliseconds, so that only zero
/// means "do not wait".
pub(crate) fn timeout(limit: Option<Duration>) -> i64 {
    limit.map_or(-1, |limit| {
        let whole = limit.as_millis();
        let rest = u128::from(limit.subsec_nanos() % 1_000_000 != 0);
        i64::try_from(whole + rest).unwrap_or(i64::MAX)
    })
}

/// Converts the time limit of an option, where 0 would select the default: `None` turns it off.
pub(crate) fn limit(limit: Option<Duration>) -> i64 {
    match timeout(limit) {
        0 => 1,
        other => other,
    }
}

/// Converts a lifetime. Zero becomes -1, "never fresh", because 0 would select the default.
pub(crate) fn lifetime(duration: Duration) -> i64 {
    match timeout(Some(duration)) {
        0 => -1,
        other => other,
    }
}

/// Converts a duration of the library. A negative number becomes `None`.
pub(crate) fn milliseconds(number: i64) -> Option<Duration> {
    u64::try_from(number).ok().map(Duration::from_millis)
}

/// Converts a time of the library; 0 becomes `None`.
pub(crate) fn since_1970(number: i64) -> Option<SystemTime> {
    milliseconds(number)
        .filter(|passed| !passed.is_zero())
        .and_then(|passed| UNIX_EPOCH.checked_add(passed))
}

/// Converts a time for the library, to at least 1, because 0 would select the default.
pub(crate) fn to_since_1970(time: SystemTime) -> i64 {
    let passed = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_rounded_up_to_milliseconds_and_none_means_no_limit() {
        assert_eq!(timeout(None), -1);
        assert_eq!(timeout(Some(Duration::ZERO)), 0);
        assert_eq!(timeout(Some(Duration::from_nanos(1))), 1);
        assert_eq!(timeout(Some(Duration::from_millis(1500))), 1500);
        assert_eq!(timeout(Some(Duration::MAX)), i64::MAX);
    }

    #[test]
    fn a_time_limit_of_zero_is_passed_as_one_millisecond_and_not_as_the_default() {
        assert_eq!(limit(Some(Duration::ZERO)), 1);
        assert_eq!(limit(None), -1);
    }

    #[test]
    fn a_lifetime_of_zero_is_passed_as_minus_1_and_not_as_the_default() {
        assert_eq!(lifetime(Duration::ZERO), -1);
        assert_eq!(lifetime(Duration::from_nanos(1)), 1);
        assert_eq!(lifetime(Duration::MAX), i64::MAX);
    }

    #[test]
    fn a_time_or_duration_that_the_library_reports_as_unknown_is_none() {
        assert_eq!(since_1970(0), None);
        assert_eq!(since_1970(-5), None);
        assert_eq!(since_1970(1), Some(UNIX_EPOCH + Duration::from_millis(1)));
        assert_eq!(to_since_1970(UNIX_EPOCH + Duration::from_millis(5)), 5);
        assert_eq!(to_since_1970(UNIX_EPOCH), 1);
        assert_eq!(milliseconds(-1), None);
        assert_eq!(milliseconds(0), Some(Duration::ZERO));
    }
}
