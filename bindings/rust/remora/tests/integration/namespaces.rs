// SPDX-License-Identifier: Apache-2.0

//! The namespaces of a bundle: in closures, under overrides, and of sources without namespaces.

use std::sync::{Arc, Mutex};

use remora::{ErrorKind, Origin, Outcome, SubscribeOptions, Subscription};

use crate::support::bundles::{element, namespaces, publish, source_of, DEFAULT};
use crate::support::server::Server;
use crate::support::{collection, memory_client, reports, DEADLINE};

#[test]
fn a_closure_can_read_the_namespaces_of_the_bundle_of_its_event() {
    let server = Server::start();
    let (sender, next) = reports();
    let url = server.url();
    let builder = memory_client().bundle(url.as_str()).default_bundle(DEFAULT);
    let source = builder
        .fetch_at_open(false)
        .on_event(move |event| {
            let mut names = String::new();
            for one in event.namespaces().unwrap() {
                names += &one.name;
                names += if one.in_bundle { " " } else { "? " };
            }
            sender.send(names).unwrap();
        })
        .open()
        .unwrap();
    assert_eq!(next(), "app other ");
    publish(&server, 1, &[element("b", ""), element("app", "")]);
    source.refresh(DEADLINE).unwrap();
    assert_eq!(next(), "b app other? ");
    let removed = r#"{"namespace": "b"}"#.to_string();
    publish(&server, 2, &[removed, element("c", "")]);
    source.refresh(DEADLINE).unwrap();
    assert_eq!(next(), "c app? other? ");
}

#[test]
fn a_closure_that_drops_its_source_cannot_read_the_namespaces_of_its_event() {
    let client = memory_client();
    let builder = client.bundle(None).default_bundle(DEFAULT);
    let source = builder.open().unwrap();
    let owner: Arc<Mutex<Option<Subscription>>> = Arc::default();
    let (taken, (sender, next)) = (Arc::clone(&owner), reports());
    let replay = SubscribeOptions::default().replay_current(true);
    let mut held = owner.lock().unwrap();
    let subscription = source
        .subscribe_with(None, &replay, move |event| {
            drop(taken.lock().unwrap().take());
            let kind = event.namespaces().map_err(|error| error.kind());
            sender.send(kind.map(|names| names.len())).unwrap();
        })
        .unwrap();
    // The subscription is the last owner of the source.
    drop(source);
    *held = Some(subscription);
    drop(held);
    assert_eq!(next(), Err(ErrorKind::Closed));
}

#[test]
fn an_override_survives_a_refresh_until_a_bundle_removes_its_namespace() {
    let server = Server::start();
    let source = source_of(&server);
    let user = "/subjectConfiguration/userId";
    source.set_override("app", user, "me").unwrap();
    source
        .set_override("mine", None, remora::Json(r#"{"a": 1}"#))
        .unwrap();
    let theirs = r#", "subjectConfiguration": {"userId": "theirs"}"#;
    publish(&server, 4, &[element("app", theirs), element("other", "")]);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert_eq!(source.get_string("app", user).as_deref(), Some("me"));
    let app = ("app".to_string(), true, true, Origin::Override);
    let other = ("other".to_string(), true, false, Origin::Fetched);
    let mine = ("mine".to_string(), false, false, Origin::Override);
    assert_eq!(namespaces(&source), [app, other.clone(), mine.clone()]);

    publish(
        &server,
        5,
        &[r#"{"namespace": "app"}"#.to_string(), element("other", "")],
    );
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert_eq!(namespaces(&source), [other, mine]);
    let overrides = source.overrides().unwrap();
    assert_eq!(overrides.len(), 1);
    assert_eq!(overrides[0].key, "mine");
}

#[test]
fn reading_the_namespaces_of_a_collection_or_of_a_closed_bundle_is_an_error() {
    let client = memory_client();
    let other = collection(&client).open().unwrap();
    let error = other.namespaces(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let source = client.bundle(None).default_bundle(DEFAULT).open().unwrap();
    client.clone().close();
    let error = source.namespaces(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    let error = client.bundle(None).open().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}
