// SPDX-License-Identifier: Apache-2.0

//! Syncs in the background.

use remora::{ErrorKind, Outcome};

use crate::support::server::Server;
use crate::support::{client_of, collection, memory_client, reports, tracked};

#[test]
fn an_asynchronous_sync_passes_its_report_once_and_drops_its_closure() {
    let server = Server::start();
    let client = client_of(&server);
    let _source = collection(&client).open().unwrap();
    let (guard, drops) = tracked();
    let (sender, report) = reports();
    let request = client.sync_async(move |report| {
        guard.hold();
        sender.send(report).unwrap();
    });
    let report = report();
    assert_eq!((report.total, report.updated), (1, 1));
    assert_eq!(report.items[0].result, Ok(Outcome::Updated));
    drops.wait();
    drop(request.unwrap());
    assert!(drops.are_none());
}

#[test]
fn a_cancelled_sync_reports_cancelled_for_each_source_that_was_not_fetched_yet() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let _source = collection(&client).open().unwrap();
    let (sender, report) = reports();
    let request = client.sync_async(move |report| sender.send(report).unwrap());
    let request = request.unwrap();
    server.wait_for_requests(1);
    request.cancel();
    let report = report();
    assert_eq!((report.total, report.failed), (1, 1));
    assert_eq!(report.error().unwrap().kind(), ErrorKind::Cancelled);
    request.cancel();
}

#[test]
fn a_running_asynchronous_sync_keeps_its_client_alive() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let (sender, report) = reports();
    let request = client.sync_async(move |report| sender.send(report).unwrap());
    server.wait_for_requests(1);
    drop((client, source));
    server.stall(false);
    assert_eq!(report().total, 1);
    drop(request);
}

#[test]
fn closing_the_client_drops_the_closure_of_a_sync_without_calling_it() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let _source = collection(&client).open().unwrap();
    let (guard, drops) = tracked();
    let request = client.sync_async(move |_| {
        guard.hold();
        unreachable!("the client is closed");
    });
    server.wait_for_requests(1);
    assert!(drops.are_none());
    client.close();
    drops.wait();
    drop(request);
    assert!(drops.are_none());
}

#[test]
fn the_closure_of_a_sync_that_cannot_start_is_dropped_once() {
    let client = memory_client();
    client.clone().close();
    let (guard, drops) = tracked();
    let error = client.sync_async(move |_| guard.hold()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    drops.wait();
}

#[test]
fn a_panic_in_the_closure_of_a_sync_is_caught() {
    let client = memory_client();
    let (guard, drops) = tracked();
    let request = client.sync_async(move |_| {
        guard.hold();
        panic!("in a sync's closure");
    });
    drops.wait();
    assert_eq!(client.sync(None).unwrap().total, 0);
    drop(request);
}
