// SPDX-License-Identifier: Apache-2.0

//! The end of clients and sources, in every order.

use std::sync::mpsc::channel;
use std::thread;

use remora::{Client, ErrorKind};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{client_of, collection, packaged, records_json, reports, source_of, tracked};

#[test]
fn a_source_keeps_its_client_alive() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let source = source_of(&server);
    source.refresh(None).unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(1));
}

#[test]
fn a_snapshot_can_be_read_after_its_client_was_closed() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client)
        .packaged_data(packaged(1, &["\"n\": 1"]))
        .open()
        .unwrap();
    let snapshot = source.snapshot().unwrap();
    client.close();
    assert_eq!(snapshot.get_int("a", "/n").unwrap(), 1);
    drop(source);
    assert_eq!(snapshot.get_int("a", "/n").unwrap(), 1);
}

#[test]
fn calls_on_a_clone_of_a_closed_client_return_closed() {
    let client = Client::in_memory().build().unwrap();
    let clone = client.clone();
    client.close();
    let error = clone.collection("things").open().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(clone.dispatch().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(clone.fd().unwrap_err().kind(), ErrorKind::Closed);
    clone.close();
}

#[test]
fn closing_the_client_ends_a_refresh_that_another_thread_waits_for() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let waiter = thread::spawn(move || source.refresh(None).unwrap_err().kind());
    server.wait_for_requests(1);
    client.close();
    assert_eq!(waiter.join().unwrap(), ErrorKind::Closed);
}

#[test]
fn a_client_can_be_closed_inside_a_closure() {
    let server = Server::start();
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let (guard, drops) = tracked();
    let (sender, called) = reports();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        client.clone().close();
        sender.send(()).unwrap();
    });
    let request = source.refresh_async(|_| ());
    called();
    drops.wait();
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Closed);
    drop((request, subscription));
}

#[test]
fn the_last_handles_of_a_client_can_be_dropped_inside_a_closure() {
    let server = Server::start();
    let source = source_of(&server);
    let (hand_over, take) = channel();
    let (guard, drops) = tracked();
    let (sender, called) = reports();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        let last: (remora::Source, remora::Subscription) = take.recv().unwrap();
        drop(last);
        sender.send(()).unwrap();
    });
    let request = source.refresh_async(|_| ()).unwrap();
    server.wait_for_requests(1);
    drop(request);
    hand_over.send((source, subscription.unwrap())).unwrap();
    called();
    drops.wait();
}

#[test]
fn data_that_one_client_fetched_is_read_from_the_cache_by_the_next_client() {
    let directory = Directory::new();
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let open = || {
        let client = Client::builder(&directory)
            .server(server.url())
            .build()
            .unwrap();
        collection(&client).open().unwrap()
    };
    open().refresh(None).unwrap();
    let source = open();
    assert_eq!(source.get_int("a", "/n"), Some(1));
    assert_eq!(source.info().unwrap().origin, remora::Origin::Cached);
    assert_eq!(server.requests(), 1);
}

#[test]
fn many_threads_can_open_close_and_use_one_source_while_the_client_is_closed() {
    let server = Server::start();
    for _ in 0..20 {
        let client = client_of(&server);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // Until the client is closed.
                    while let Ok(source) = collection(&client).open() {
                        let subscription = source.subscribe(None, |_| ());
                        drop((source.clone(), subscription));
                    }
                });
            }
            client.clone().close();
        });
    }
}
