// SPDX-License-Identifier: Apache-2.0

//! When what is fetched becomes live.

use std::sync::mpsc::channel;

use remora::{Activation, Cause, Client, ErrorKind, Outcome, Trust};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{client_of, collection, records_json, reports, DEADLINE};

fn served() -> Server {
    let server = Server::start();
    server.publish(2, records_json(&[r#""n": 1"#]));
    server
}

#[test]
fn with_manual_activation_the_old_data_is_read_until_fetched_data_is_activated() {
    let server = served();
    let (sender, next) = reports();
    let source = collection(&client_of(&server))
        .activation(Activation::Manual)
        .on_event(move |event| {
            let staged = event.staged_snapshot().map(|staged| staged.len());
            let live = event.new_snapshot().len();
            sender
                .send((event.cause(), event.outcome(), staged, live))
                .unwrap();
        })
        .open()
        .unwrap();
    assert_eq!(next(), (Cause::Opened, None, None, 0));
    assert_eq!(source.activate(None).unwrap(), Outcome::Unchanged);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Staged);
    let staged = (Cause::Refreshed, Some(Outcome::Staged), Some(1), 0);
    assert_eq!(next(), staged);
    assert!(source.info().unwrap().has_staged);
    assert_eq!(source.get_int("a", "/n"), None);
    assert_eq!(source.activate(None).unwrap(), Outcome::Updated);
    assert_eq!(next(), (Cause::Activated, None, None, 1));
    assert!(!source.info().unwrap().has_staged);
    assert_eq!(source.get_int("a", "/n"), Some(1));
}

#[test]
fn if_activation_is_next_setup_fetched_data_is_read_when_the_next_client_opens_it() {
    let server = served();
    let directory = Directory::new();
    for found in [None, Some(1)] {
        let client = Client::builder(&directory)
            .server(server.url())
            .build()
            .unwrap();
        let options = client.collection("things").trust(Trust::Off);
        let source = options.activation(Activation::NextSetup).open().unwrap();
        assert_eq!(source.get_int("a", "/n"), found);
        source.refresh(DEADLINE).unwrap();
    }
}

#[test]
fn after_freeze_the_old_data_is_read_and_no_event_is_delivered() {
    let server = served();
    let source = collection(&client_of(&server)).open().unwrap();
    source.refresh(DEADLINE).unwrap();
    source.freeze().unwrap();
    let (sender, received) = channel();
    let subscription = source.subscribe(None, move |event| sender.send(event.outcome()).unwrap());
    server.publish(3, records_json(&[r#""n": 2"#]));
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Staged);
    assert_eq!(source.get_int("a", "/n"), Some(1));
    drop(subscription);
    assert!(received.try_recv().is_err());
}

#[test]
fn the_report_of_a_sync_counts_sources_whose_fetched_data_is_not_activated_yet() {
    let server = served();
    let client = client_of(&server);
    let options = collection(&client).activation(Activation::Manual);
    let _source = options.open().unwrap();
    let report = client.sync(DEADLINE).unwrap();
    assert_eq!((report.total, report.staged, report.updated), (1, 1, 0));
}

#[test]
fn activate_and_freeze_return_closed_after_the_client_was_closed() {
    let server = served();
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    client.close();
    assert_eq!(source.activate(None).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(source.freeze().unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn activate_with_a_snapshot_makes_only_the_version_live_that_the_program_has_checked() {
    let server = served();
    let (sender, staged) = reports();
    let source = collection(&client_of(&server))
        .activation(Activation::Manual)
        .on_event(move |event| {
            if let Some(snapshot) = event.staged_snapshot() {
                sender.send(snapshot).unwrap();
            }
        })
        .open()
        .unwrap();
    source.refresh(DEADLINE).unwrap();
    let first = staged();
    server.publish(3, records_json(&[r#""n": 2"#]));
    source.refresh(DEADLINE).unwrap();
    let second = staged();
    let error = source.activate(&first).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(source.activate(&second), Ok(Outcome::Updated));
    assert_eq!(source.activate(&second), Ok(Outcome::Unchanged));
    assert_eq!(source.get_int("a", "/n"), Some(2));
}
