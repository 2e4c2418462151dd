// SPDX-License-Identifier: Apache-2.0

//! Subscribers: their events, and how they end.

use remora::{Cause, ChangeKind, Origin, Outcome, SubscribeOptions};

use crate::support::server::Server;
use crate::support::{client_of, collection, packaged, records_json, reports, source_of, tracked};

#[test]
fn a_subscriber_is_notified_of_the_outcome_of_every_refresh() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    let (sender, event) = reports();
    let subscription = source.subscribe(None, move |event| {
        let keys: Vec<String> = event
            .changes()
            .map(|change| change.key().to_string())
            .collect();
        let error = event.error().map(|error| error.kind());
        sender
            .send((event.cause(), event.outcome(), event.version(), keys, error))
            .unwrap();
    });
    source.refresh(None).unwrap();
    let (key, refreshed) = ("a".to_string(), Cause::Refreshed);
    assert_eq!(
        event(),
        (refreshed, Some(Outcome::Updated), 5, vec![key], None)
    );
    source.refresh(None).unwrap();
    assert_eq!(
        event(),
        (refreshed, Some(Outcome::Unchanged), 5, vec![], None)
    );
    server.fail(500, "");
    let error = source.refresh(None).unwrap_err();
    let failed = Some(Outcome::Failed);
    assert_eq!(event(), (refreshed, failed, 5, vec![], Some(error.kind())));
    assert!(subscription.unwrap().end().is_ok());
}

#[test]
fn a_subscriber_of_a_key_is_notified_of_that_key_only() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1", "\"n\": 1"]));
    let source = source_of(&server);
    source.refresh(None).unwrap();
    let (sender, change) = reports();
    let subscription = source.subscribe("b", move |event| {
        assert_eq!(event.changes().len(), 1);
        sender.send(event.changes().next().unwrap().keep()).unwrap();
    });
    server.publish(6, records_json(&["\"n\": 2", "\"n\": 1"]));
    source.refresh(None).unwrap();
    server.publish(7, records_json(&["\"n\": 2", "\"n\": 3"]));
    source.refresh(None).unwrap();
    let change = change();
    assert_eq!((change.kind(), change.key()), (ChangeKind::Updated, "b"));
    assert_eq!(
        change.old_value().unwrap().at("/n").unwrap().as_i64(),
        Some(1)
    );
    assert_eq!(
        change.new_value().unwrap().at("/n").unwrap().as_i64(),
        Some(3)
    );
    drop(subscription);
}

#[test]
fn with_the_option_replay_current_the_first_event_reports_the_current_data() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client)
        .packaged_data(packaged(3, &["\"n\": 1"]))
        .open()
        .unwrap();
    let (sender, event) = reports();
    let options = SubscribeOptions::default().replay_current(true);
    let subscription = source.subscribe_with(None, &options, move |event| {
        let length = event.new_snapshot().len();
        sender
            .send((event.cause(), event.outcome(), event.origin(), length))
            .unwrap();
    });
    assert_eq!(event(), (Cause::Opened, None, Origin::Packaged, 1));
    drop(subscription);
}

#[test]
fn the_on_event_closure_is_notified_of_the_initial_data_before_fetched_data() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let (sender, event) = reports();
    let (guard, drops) = tracked();
    let source = collection(&client).on_event(move |event| {
        guard.hold();
        sender
            .send((
                event.cause(),
                event.old_snapshot().len(),
                event.new_snapshot().len(),
            ))
            .unwrap();
    });
    let source = source.open().unwrap();
    source.refresh(None).unwrap();
    assert_eq!(event(), (Cause::Opened, 0, 0));
    assert_eq!(event(), (Cause::Refreshed, 0, 1));
    assert!(drops.are_none());
    drop(source);
    drops.wait();
}

#[test]
fn a_dropped_subscription_is_not_called_again_and_its_closure_is_dropped() {
    let server = Server::start();
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        unreachable!("it was dropped before the refresh");
    });
    drop(subscription.unwrap());
    drops.wait();
    source.refresh(None).unwrap();
    assert!(drops.are_none());
}

#[test]
fn a_subscription_can_be_dropped_inside_its_own_closure() {
    let server = Server::start();
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let (hand_over, take) = std::sync::mpsc::channel::<remora::Subscription>();
    let (sender, called) = reports();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        drop(take.recv().unwrap());
        sender.send(()).unwrap();
    });
    hand_over.send(subscription.unwrap()).unwrap();
    source.refresh(None).unwrap();
    called();
    drops.wait();
    source.refresh(None).unwrap();
    assert!(drops.are_none());
}

#[test]
fn a_subscription_keeps_its_source_and_client_alive() {
    let server = Server::start();
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let subscription = source.subscribe(None, move |_| guard.hold()).unwrap();
    drop(source);
    assert!(drops.are_none());
    drop(subscription);
    drops.wait();
}

#[test]
fn a_closure_may_subscribe_read_and_refresh() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    let inner = source.clone();
    let (sender, result) = reports();
    let subscription = source.subscribe(None, move |event| {
        if event.outcome() == Some(Outcome::Updated) {
            let another = inner.subscribe("a", |_| ()).unwrap();
            sender
                .send((inner.get_int("a", "/n"), inner.refresh(None).unwrap()))
                .unwrap();
            drop(another);
        }
    });
    source.refresh(None).unwrap();
    assert_eq!(result(), (Some(1), Outcome::Unchanged));
    drop(subscription);
}

#[test]
fn a_subscription_to_an_invalid_key_is_refused_and_its_closure_is_dropped() {
    let source = source_of(&Server::start());
    for key in ["", "a\0"] {
        let (guard, drops) = tracked();
        let error = source.subscribe(key, move |_| guard.hold()).unwrap_err();
        assert_eq!(error.kind(), remora::ErrorKind::InvalidArgument);
        drops.wait();
        assert!(drops.are_none());
    }
}
