// SPDX-License-Identifier: Apache-2.0

//! Closures that panic, and closures that own what they are registered with.

use std::sync::{Arc, Mutex};

use remora::{Client, LogLevel, Outcome, Subscription};

use crate::support::server::Server;
use crate::support::{client_of, collection, reports, source_of, tracked, Tracked};

/// Panics when it is dropped.
struct Explosive(Option<Tracked>);

impl Explosive {
    fn hold(&self) {}
}

impl Drop for Explosive {
    fn drop(&mut self) {
        drop(self.0.take());
        panic!("in the drop of a closure");
    }
}

#[test]
fn a_closure_that_panics_is_not_called_again_and_ending_its_subscription_returns_the_panic() {
    let server = Server::start();
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let panicking = source.subscribe(None, move |_| {
        guard.hold();
        panic!("the first time");
    });
    let (sender, outcome) = reports();
    let other = source.subscribe(None, move |event| sender.send(event.outcome()).unwrap());
    for _ in 0..2 {
        source.refresh(None).unwrap();
        outcome();
    }
    let payload = panicking.unwrap().end().unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"the first time"));
    drops.wait();
    assert!(drops.are_none());
    assert!(other.unwrap().end().is_ok());
}

#[test]
fn a_panic_in_a_completion_closure_or_an_on_event_closure_is_caught() {
    let server = Server::start();
    let client = client_of(&server);
    let (guard, drops) = tracked();
    let source = collection(&client)
        .on_event(move |_| {
            guard.hold();
            panic!("in a first subscriber");
        })
        .open()
        .unwrap();
    let (guard, completion_drops) = tracked();
    let request = source.refresh_async(move |_| {
        guard.hold();
        panic!("in a completion");
    });
    completion_drops.wait();
    assert_eq!(source.refresh(None).unwrap(), Outcome::Unchanged);
    drop((request, source));
    drops.wait();
}

#[test]
fn a_panic_in_the_drop_of_a_closure_is_caught() {
    let server = Server::start();
    let source = source_of(&server);
    let (guard, drops) = tracked();
    let trap = Explosive(Some(guard));
    let subscription = source.subscribe(None, move |_| trap.hold()).unwrap();
    assert!(subscription.end().is_ok());
    drops.wait();
    source.refresh(None).unwrap();
}

#[test]
fn closures_of_calls_that_fail_are_dropped_once() {
    let (guard, drops) = tracked();
    let built = Client::in_memory()
        .server("nonsense")
        .log(LogLevel::Debug, move |_, _| guard.hold());
    assert!(built.build().is_err());
    drops.wait();
    let client = Client::in_memory().build().unwrap();
    let (guard, drops) = tracked();
    let opened = client
        .collection("-")
        .on_event(move |_| guard.hold())
        .open();
    assert!(opened.is_err());
    drops.wait();
    let source = client.collection("things").open().unwrap();
    client.close();
    let (guard, drops) = tracked();
    assert!(source.refresh_async(move |_| guard.hold()).is_err());
    drops.wait();
}

#[test]
fn closing_the_client_drops_every_closure_even_if_other_handles_still_exist() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let (guard, drops) = tracked();
    let subscription = source.subscribe(None, move |_| guard.hold()).unwrap();
    client.close();
    drops.wait();
    drop((source, subscription));
    assert!(drops.are_none());
}

#[test]
fn a_closure_can_own_the_last_handles_of_its_client() {
    let server = Server::start();
    let source = source_of(&server);
    let own: Arc<Mutex<Option<Subscription>>> = Arc::default();
    let (owned, last) = (Arc::clone(&own), source.clone());
    let (guard, drops) = tracked();
    let (sender, called) = reports();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        let _ = &last;
        drop(owned.lock().unwrap().take());
        sender.send(()).unwrap();
    });
    *own.lock().unwrap() = Some(subscription.unwrap());
    let request = source.refresh_async(|_| ());
    drop((own, source));
    called();
    drop(request);
    drops.wait();
}

#[test]
fn dropping_a_subscription_can_drop_a_closure_that_owns_the_client() {
    let server = Server::start();
    let source = source_of(&server);
    let last = source.clone();
    let (guard, drops) = tracked();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        let _ = last.change_count();
    });
    drop(source);
    drop(subscription.unwrap());
    drops.wait();
}
