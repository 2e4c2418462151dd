// SPDX-License-Identifier: Apache-2.0

//! Durations and times, to and from the library's milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The argument of a waiting call: no limit is -1; a rest of a millisecond counts as one, so that
/// only zero is "do not wait".
pub(crate) fn timeout(limit: Option<Duration>) -> i64 {
    limit.map_or(-1, |limit| {
        let whole = limit.as_millis();
        let rest = u128::from(limit.subsec_nanos() % 1_000_000 != 0);
        i64::try_from(whole + rest).unwrap_or(i64::MAX)
    })
}

/// The field of a structure, where 0 means the default: `None` is off.
pub(crate) fn limit(limit: Option<Duration>) -> i64 {
    match timeout(limit) {
        0 => 1,
        other => other,
    }
}

/// How long something stays fresh, where 0 means the default: no time is "not at all".
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

/// A time from the library; 0 is never.
pub(crate) fn since_1970(number: i64) -> Option<SystemTime> {
    milliseconds(number)
        .filter(|passed| !passed.is_zero())
        .and_then(|passed| UNIX_EPOCH.checked_add(passed))
}

/// A time for the library, at least 1: 0 would be the default.
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
