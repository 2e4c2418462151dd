// SPDX-License-Identifier: Apache-2.0

//! Closures inside of the host's own loop.

use std::os::raw::{c_int, c_short, c_ulong};
use std::os::unix::io::RawFd;
use std::sync::mpsc::channel;
use std::thread;

use remora::{Callbacks, Client, ErrorKind, Source};

use crate::support::server::Server;
use crate::support::{collection, memory_client, tracked, DEADLINE};

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

extern "C" {
    fn poll(fds: *mut PollFd, count: c_ulong, timeout_ms: c_int) -> c_int;
}

pub fn wait_until_readable(fd: RawFd) {
    const POLLIN: c_short = 1;
    let mut wanted = PollFd {
        fd,
        events: POLLIN,
        revents: 0,
    };
    let limit = c_int::try_from(DEADLINE.as_millis()).unwrap();
    // SAFETY: one descriptor is passed, which lives during the call.
    assert_eq!(unsafe { poll(&mut wanted, 1, limit) }, 1);
}

fn client_and_source(server: &Server) -> (Client, Source) {
    let builder = Client::in_memory()
        .server(server.url())
        .callbacks(Callbacks::OnDispatch);
    let client = builder.build().unwrap();
    let source = collection(&client).open().unwrap();
    (client, source)
}

#[test]
fn with_manual_dispatch_closures_run_inside_dispatch_on_the_thread_that_calls_it() {
    let server = Server::start();
    let (client, source) = client_and_source(&server);
    assert_eq!(client.dispatch().unwrap(), 0);
    let (sender, received) = channel();
    let subscription =
        source.subscribe(None, move |_| sender.send(thread::current().id()).unwrap());
    let fd = client.fd().unwrap();
    source.refresh(None).unwrap();
    wait_until_readable(fd);
    assert!(received.try_recv().is_err());
    assert_eq!(client.dispatch().unwrap(), 1);
    assert_eq!(received.try_recv(), Ok(thread::current().id()));
    assert_eq!(client.fd().unwrap(), fd);
    drop(subscription);
}

#[test]
fn a_dispatch_inside_a_dispatch_returns_busy() {
    let server = Server::start();
    let (client, source) = client_and_source(&server);
    let inner = client.clone();
    let (sender, received) = channel();
    let subscription = source.subscribe(None, move |_| sender.send(inner.dispatch()).unwrap());
    source.refresh(None).unwrap();
    wait_until_readable(client.fd().unwrap());
    client.dispatch().unwrap();
    assert_eq!(
        received.recv().unwrap().unwrap_err().kind(),
        ErrorKind::Busy
    );
    drop(subscription);
}

#[test]
fn a_dispatch_calls_no_further_closure_after_a_closure_closed_the_client() {
    let server = Server::start();
    let (client, source) = client_and_source(&server);
    let (guard, drops) = tracked();
    let inner = client.clone();
    let first = source.subscribe(None, move |_| {
        guard.hold();
        inner.clone().close();
    });
    let second = source.subscribe(None, |_| unreachable!("the client is closed"));
    source.refresh(None).unwrap();
    wait_until_readable(client.fd().unwrap());
    client.dispatch().unwrap();
    drops.wait();
    assert_eq!(client.dispatch().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Closed);
    assert!(second.unwrap().end().is_ok());
    drop(first);
}

#[test]
fn closing_a_client_on_another_thread_takes_effect_when_its_dispatch_returns() {
    let server = Server::start();
    let (client, source) = client_and_source(&server);
    let (enter, entered) = channel();
    let (leave, may_leave) = channel();
    let subscription = source.subscribe(None, move |_| {
        enter.send(()).unwrap();
        may_leave.recv().unwrap();
    });
    source.refresh(None).unwrap();
    wait_until_readable(client.fd().unwrap());
    thread::scope(|scope| {
        let dispatching = scope.spawn(|| client.dispatch());
        entered.recv().unwrap();
        client.clone().close();
        leave.send(()).unwrap();
        dispatching.join().unwrap().unwrap();
    });
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Closed);
    drop(subscription);
}

#[test]
fn a_subscription_that_is_dropped_before_the_dispatch_is_not_called() {
    let server = Server::start();
    let (client, source) = client_and_source(&server);
    let (guard, drops) = tracked();
    let subscription = source.subscribe(None, move |_| {
        guard.hold();
        unreachable!("it was dropped before the dispatch");
    });
    source.refresh(None).unwrap();
    wait_until_readable(client.fd().unwrap());
    drop(subscription.unwrap());
    drops.wait();
    client.dispatch().unwrap();
}

#[test]
fn changes_and_completions_are_delivered_by_dispatch_if_dispatch_is_manual() {
    let server = Server::start();
    server.publish(5, crate::support::records_json(&["\"n\": 1"]));
    let (client, source) = client_and_source(&server);
    let mut changes = source.changes(None).unwrap();
    let (sender, received) = channel();
    let request = source.refresh_async(move |result| sender.send(result).unwrap());
    let result = loop {
        wait_until_readable(client.fd().unwrap());
        client.dispatch().unwrap();
        if let Ok(result) = received.try_recv() {
            break result;
        }
    };
    result.unwrap();
    assert_eq!(changes.try_recv().unwrap().key(), "a");
    drop(request);
}

#[test]
fn a_client_with_a_thread_for_closures_has_no_descriptor_and_refuses_dispatch() {
    let client = memory_client();
    assert_eq!(client.fd().unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        client.dispatch().unwrap_err().kind(),
        ErrorKind::InvalidArgument
    );
}

#[test]
fn a_closure_of_a_nested_dispatch_can_close_the_client_of_the_outer_dispatch() {
    let server = Server::start();
    let ((outer, outer_source), (inner, inner_source)) =
        (client_and_source(&server), client_and_source(&server));
    let (sender, received) = channel();
    let (closing, inner_sender) = (outer.clone(), sender.clone());
    let _inner = inner_source.subscribe(None, move |_| {
        closing.clone().close();
        inner_sender.send("inner").unwrap();
    });
    let _outer = outer_source.subscribe(None, move |_| {
        sender.send("outer").unwrap();
        inner.dispatch().unwrap();
    });
    for _ in 0..2 {
        outer_source.refresh(DEADLINE).unwrap();
    }
    inner_source.refresh(DEADLINE).unwrap();
    outer.dispatch().unwrap();
    assert_eq!(received.try_iter().collect::<Vec<_>>(), ["outer", "inner"]);
}
