// SPDX-License-Identifier: Apache-2.0

//! How sources are opened and refreshed: the first fetch, versions of push messages, limits, and
//! the states of all sources.

use std::ffi::CStr;
use std::time::Duration;

use remora::{ErrorKind, RefreshOptions, SourceKind};

use crate::support::server::Server;
use crate::support::{client_of, collection, memory_client, records_json, reports};

#[test]
fn a_collection_is_fetched_when_it_is_opened_if_fetch_at_open_is_set() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let source = collection(&client).fetch_at_open(true).open().unwrap();
    server.wait_for_requests(1);
    source.refresh(Duration::from_secs(30)).unwrap();
    assert_eq!(source.snapshot().unwrap().len(), 1);
}

#[test]
fn fetch_at_open_is_refused_for_a_bundle_without_a_url() {
    let error = memory_client().bundle(None).fetch_at_open(true).open();
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_client_lists_the_infos_of_its_open_sources_in_the_order_of_opening() {
    let client = memory_client();
    let first = client.bundle(None).open().unwrap();
    let second = client.collection("two").open().unwrap();
    let states = client.sources().unwrap();
    let kinds: Vec<_> = states.iter().map(|state| state.kind).collect();
    assert_eq!(kinds, [SourceKind::Bundle, SourceKind::Collection]);
    assert_eq!(states[1].name, "main/two");
    assert_eq!(second.info().unwrap().name, states[1].name);
    drop(first);
    assert_eq!(client.sources().unwrap().len(), 1);
    client.clone().close();
    assert_eq!(client.sources().unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn the_option_expected_version_is_sent_to_the_server_with_a_refresh() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = collection(&client_of(&server)).open().unwrap();
    let pushed = RefreshOptions::default().expected_version(4321);
    source.refresh_with(&pushed).unwrap();
    let head = server.last_head();
    assert!(head.contains("_expected=4321"), "{head}");
}

#[test]
fn the_option_expected_version_is_refused_for_a_refresh_of_settings() {
    let client = memory_client();
    let settings = client.settings("http://127.0.0.1:9/").fetch_at_open(false);
    let pushed = RefreshOptions::default().expected_version(1);
    let error = settings.open().unwrap().refresh_with(&pushed).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn the_timeout_of_an_asynchronous_call_is_reported_to_its_closure() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let limit = Duration::from_millis(20);
    let (sender, refreshed) = reports();
    let options = RefreshOptions::default().timeout(limit);
    let request = source.refresh_async_with(&options, move |result| sender.send(result).unwrap());
    assert_eq!(refreshed().unwrap_err().kind(), ErrorKind::Timeout);
    drop(request);
    let (sender, synced) = reports();
    let options = RefreshOptions::default().timeout(limit);
    let request = client.sync_async_with(&options, move |report| sender.send(report).unwrap());
    assert_eq!(synced().error().unwrap().kind(), ErrorKind::Timeout);
    drop(request);
    server.stall(false);
}

#[test]
fn variants_of_rust_enumerations_have_the_names_that_the_c_library_returns() {
    let name = |number| {
        // SAFETY: the library returns a constant text for every number.
        let text = unsafe { CStr::from_ptr(remora_sys::remora_outcome_name(number)) };
        text.to_str().unwrap().replace('_', "")
    };
    let outcomes = [
        "None",
        "Updated",
        "Unchanged",
        "NotNewer",
        "Staged",
        "Refused",
        "Failed",
    ];
    let names: Vec<_> = (0..=6).map(name).collect();
    assert_eq!(names, outcomes.map(str::to_lowercase));
}
