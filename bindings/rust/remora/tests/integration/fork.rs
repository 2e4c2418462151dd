// SPDX-License-Identifier: Apache-2.0

//! A forked child continues to use the client of its parent.

use std::io;
use std::os::raw::c_int;

use crate::support::server::Server;
use crate::support::{client_of, collection, records_json, reports, DEADLINE};

extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn alarm(seconds: u32) -> u32;
    fn _exit(code: c_int) -> !;
}

/// Runs the steps in a child, in turn; the number of the first that does not hold is its status.
fn in_child(steps: &[&dyn Fn() -> bool]) {
    // SAFETY: the child calls nothing but the steps, and ends without leaving this function. A
    // child that hangs is ended by a signal.
    let child = unsafe { fork() };
    if child == 0 {
        // SAFETY: as above.
        unsafe {
            alarm(DEADLINE.as_secs() as u32);
            let failed = steps.iter().position(|step| !step());
            _exit(failed.map_or(0, |step| step as c_int + 1));
        }
    }
    let mut status = 0;
    // SAFETY: the child is ours.
    let waited = unsafe { waitpid(child, &mut status, 0) };
    assert_eq!(waited, child, "{}", io::Error::last_os_error());
    assert_eq!(
        status,
        0,
        "step {} did not hold (status {status:#x})",
        status >> 8
    );
}

#[test]
fn a_forked_child_can_read_and_refresh_and_is_notified_of_updates() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    source.refresh(None).unwrap();
    let snapshot = source.snapshot().unwrap();
    server.publish(6, records_json(&["\"n\": 2"]));
    let (sender, next_outcome) = reports();
    in_child(&[
        &|| snapshot.get_int("a", "/n").ok() == Some(1),
        &|| source.get_int("a", "/n") == Some(1),
        &|| {
            let sender = sender.clone();
            let request = source.refresh_async(move |result| sender.send(result).unwrap());
            request.is_ok() && next_outcome().is_ok()
        },
        &|| source.get_int("a", "/n") == Some(2),
        &|| {
            client.clone().close();
            source.refresh(None).is_err() && snapshot.get_int("a", "/n").ok() == Some(1)
        },
    ]);
    assert_eq!(source.get_int("a", "/n"), Some(1));
    source.refresh(None).unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(2));
}

#[test]
fn a_child_that_is_forked_while_its_parent_refreshes_can_refresh_and_read() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    server.stall(true);
    let source = collection(&client_of(&server)).open().unwrap();
    let (sender, ended) = reports();
    let request = source
        .refresh_async(move |result| sender.send(result).unwrap())
        .unwrap();
    server.wait_for_requests(1);
    server.stall(false);
    for _ in 0..10 {
        in_child(&[&|| source.refresh(None).is_ok(), &|| {
            source.get_int("a", "/n") == Some(1)
        }]);
    }
    ended().unwrap();
    drop(request);
    assert_eq!(source.get_int("a", "/n"), Some(1));
}
