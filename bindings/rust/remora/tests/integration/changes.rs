// SPDX-License-Identifier: Apache-2.0

//! The iterator of changes.

use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::Duration;

use remora::{ChangeKind, Source, Value};

use crate::support::server::Server;
use crate::support::{client_of, collection, records_json, reports, source_of, DEADLINE};

fn publish(server: &Server, source: &Source, timestamp: i64, records: &[&str]) {
    server.publish(timestamp, records_json(records));
    let (sender, ended) = reports();
    // The completion is called after the events of the same refresh.
    let request = source
        .refresh_async(move |result| sender.send(result).unwrap())
        .unwrap();
    ended().unwrap();
    drop(request);
}

fn number(value: Option<Value<'_>>) -> Option<i64> {
    value?.at("/n")?.as_i64()
}

#[test]
fn an_iterator_over_changes_returns_them_in_order_with_their_old_and_new_values() {
    let server = Server::start();
    let source = source_of(&server);
    let mut changes = source.changes(None).unwrap();
    publish(&server, &source, 5, &["\"n\": 1", "\"n\": 2"]);
    let (first, second) = (changes.next().unwrap(), changes.next().unwrap());
    assert_eq!((first.key(), second.key()), ("a", "b"));
    assert_eq!(first.kind(), ChangeKind::Created);
    publish(&server, &source, 6, &["\"n\": 3"]);
    let third = changes.recv_timeout(DEADLINE).unwrap();
    let fourth = changes.try_recv().unwrap();
    assert_eq!(
        (third.kind(), fourth.kind()),
        (ChangeKind::Updated, ChangeKind::Deleted)
    );
    drop((changes, source));
    assert_eq!(
        (number(third.old_value()), number(third.new_value())),
        (Some(1), Some(3))
    );
    assert_eq!(
        (number(fourth.old_value()), fourth.new_value().is_none()),
        (Some(2), true)
    );
}

#[test]
fn changes_of_a_key_that_were_not_received_yet_merge_into_one() {
    let server = Server::start();
    let source = source_of(&server);
    let mut changes = source.changes(None).unwrap();
    publish(&server, &source, 5, &["\"n\": 1", "\"n\": 1"]);
    publish(&server, &source, 6, &["\"n\": 2"]);
    let change = changes.try_recv().unwrap();
    assert_eq!((change.kind(), change.key()), (ChangeKind::Created, "a"));
    assert_eq!(number(change.new_value()), Some(2));
    assert_eq!(changes.try_recv().unwrap_err(), TryRecvError::Empty);
}

#[test]
fn an_iterator_over_the_changes_of_one_key_omits_other_keys() {
    let server = Server::start();
    let source = source_of(&server);
    let mut changes = source.changes("b").unwrap();
    publish(&server, &source, 5, &["\"n\": 1"]);
    assert_eq!(changes.try_recv().unwrap_err(), TryRecvError::Empty);
    publish(&server, &source, 6, &["\"n\": 2", "\"n\": 7"]);
    let change = changes.try_recv().unwrap();
    assert_eq!((change.key(), number(change.new_value())), ("b", Some(7)));
    assert_eq!(changes.try_recv().unwrap_err(), TryRecvError::Empty);
}

#[test]
fn waiting_for_the_next_change_ends_at_its_timeout() {
    let source = source_of(&Server::start());
    let mut changes = source.changes(None).unwrap();
    let waited = changes.recv_timeout(Duration::from_millis(1));
    assert_eq!(waited.unwrap_err(), RecvTimeoutError::Timeout);
}

#[test]
fn an_iterator_over_changes_ends_when_its_client_is_closed() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let mut changes = source.changes(None).unwrap();
    publish(&server, &source, 5, &["\"n\": 1"]);
    let reader = thread::spawn(move || {
        let keys: Vec<String> = changes
            .by_ref()
            .map(|change| change.key().to_string())
            .collect();
        (
            keys,
            changes.try_recv().unwrap_err(),
            changes.recv_timeout(DEADLINE).unwrap_err(),
        )
    });
    client.close();
    let (empty, late) = (TryRecvError::Disconnected, RecvTimeoutError::Disconnected);
    assert_eq!(reader.join().unwrap(), (vec!["a".to_string()], empty, late));
}

#[test]
fn waiting_for_the_next_change_without_a_timeout_ends_with_that_change() {
    let server = Server::start();
    let source = source_of(&server);
    let mut changes = source.changes(None).unwrap();
    let reader = thread::spawn(move || changes.recv_timeout(Duration::MAX).unwrap());
    publish(&server, &source, 5, &["\"n\": 1"]);
    assert_eq!(reader.join().unwrap().key(), "a");
}
