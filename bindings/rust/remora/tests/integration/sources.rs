// SPDX-License-Identifier: Apache-2.0

//! Reading by key on a source, its state, and its count of changes.

use std::time::Duration;

use remora::{ErrorKind, Family, Origin, Outcome};

use crate::support::server::Server;
use crate::support::{client_of, collection, packaged, packaged_source, records_json, source_of};

#[test]
fn a_typed_read_of_a_source_returns_the_value_or_none() {
    let record = "\"yes\": false, \"n\": 0, \"half\": 0.5, \"text\": \"\", \"none\": null";
    let source = packaged_source(&[record]);
    assert_eq!(source.get_bool("a", "/yes"), Some(false));
    assert_eq!(source.get_int("a", "/n"), Some(0));
    assert_eq!(source.get_double("a", "/half"), Some(0.5));
    assert_eq!(source.get_string("a", "/text").as_deref(), Some(""));
    for pointer in [
        Some("/none"),
        Some("/missing"),
        Some("malformed"),
        Some("/n\0"),
        None,
    ] {
        assert_eq!(source.get_bool("a", pointer), None);
        assert_eq!(source.get_int("a", pointer), None);
        assert_eq!(source.get_double("a", pointer), None);
        assert_eq!(source.get_string("a", pointer), None);
    }
    for key in ["", "b", "a\0"] {
        assert_eq!(source.get_int(key, "/n"), None);
        assert_eq!(source.get_string(key, "/text"), None);
    }
}

#[test]
fn a_read_of_the_smallest_or_largest_integer_is_distinguished_from_none() {
    let source = packaged_source(&["\"v\": [-9223372036854775808, 9223372036854775807]"]);
    assert_eq!(source.get_int("a", "/v/0"), Some(i64::MIN));
    assert_eq!(source.get_int("a", "/v/1"), Some(i64::MAX));
    assert_eq!(source.get_int("a", "/v/2"), None);
}

#[test]
fn calls_on_a_closed_source_return_an_error() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client)
        .packaged_data(packaged(1, &["\"n\": 1"]))
        .open()
        .unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(1));
    client.close();
    assert_eq!(source.get_int("a", "/n"), None);
    assert_eq!(source.get_string("a", "/id"), None);
    let closed = |error: remora::Error| assert_eq!(error.kind(), ErrorKind::Closed);
    closed(source.snapshot().unwrap_err());
    closed(source.info().unwrap_err());
    closed(source.refresh(None).unwrap_err());
    closed(source.reset().unwrap_err());
    closed(source.subscribe(None, |_| ()).unwrap_err());
    closed(source.changes(None).unwrap_err());
    closed(source.refresh_async(|_| ()).unwrap_err());
    assert_eq!(server.requests(), 0);
}

#[test]
fn the_info_of_a_source_has_its_origin_times_and_last_error() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    let before = source.info().unwrap();
    assert_eq!((before.origin, before.version), (Origin::Nothing, 0));
    assert_eq!(
        (before.checked_age, before.checked_at, before.retry_after),
        (None, None, None)
    );
    source.refresh(None).unwrap();
    let after = source.info().unwrap();
    assert_eq!((after.origin, after.version), (Origin::Fetched, 5));
    assert!(
        after.checked_age.is_some() && after.checked_at.is_some() && after.fetched_at.is_some()
    );
    assert_eq!((&after.last_error, &after.storage_error), (&None, &None));
    server.fail(500, "");
    source.refresh(None).unwrap_err();
    let failed = source.info().unwrap();
    assert_eq!(failed.last_error.unwrap().http_status(), Some(500));
    assert_eq!(failed.version, 5);
}

#[test]
fn the_change_count_of_a_source_increases_only_when_a_refresh_fetches_new_data() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    source.refresh(None).unwrap();
    let first = source.change_count();
    assert_eq!(source.refresh(None).unwrap(), Outcome::Unchanged);
    assert_eq!(source.change_count(), first);
    server.publish(6, records_json(&["\"n\": 2"]));
    source.refresh(None).unwrap();
    assert!(source.change_count() > first);
}

#[test]
fn after_a_reset_the_packaged_data_is_read() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 2"]));
    let client = client_of(&server);
    let source = collection(&client)
        .packaged_data(packaged(1, &["\"n\": 1"]))
        .open()
        .unwrap();
    source.refresh(Duration::from_secs(30)).unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(2));
    source.reset().unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(1));
    assert_eq!(source.info().unwrap().origin, Origin::Packaged);
}

#[test]
fn numbers_of_the_library_are_displayed_by_their_names() {
    let names = format!(
        "{} {} {}",
        Origin::Nothing,
        Outcome::NotNewer,
        Family::Network
    );
    assert_eq!(names, "none not_newer network");
    let names = format!("{} {}", ErrorKind::Tls, remora::Kind::Array);
    assert_eq!(names, "REMORA_ERR_TLS array");
    assert_eq!(format!("{:>9}", remora::ChangeKind::Created), "  created");
}
