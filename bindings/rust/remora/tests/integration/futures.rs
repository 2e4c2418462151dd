// SPDX-License-Identifier: Apache-2.0

//! Asynchronous operations as futures, with the smallest executor.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use remora::{ErrorKind, Outcome, Pending, RefreshOptions};

use crate::support::files::File;
use crate::support::server::Server;
use crate::support::{client_of, collection, records_json, source_of, source_of_files};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

fn result_of<T>(mut future: Pending<T>) -> remora::Result<T> {
    loop {
        match poll(&mut future) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn futures_return_what_the_blocking_calls_return() {
    let file = File::text();
    let (server, source) = source_of_files(&[file]);
    let options = RefreshOptions::default();
    assert_eq!(
        result_of(source.refresh_future(&options)),
        Ok(Outcome::Unchanged)
    );
    let snapshot = result_of(source.wait_future(&options)).unwrap();
    assert_eq!(snapshot.len(), 1);
    let icon = result_of(source.attachment_of("a").open_future());
    assert_eq!(&*icon.unwrap(), b"attached\n");
    let client = client_of(&server);
    let _things = collection(&client).open().unwrap();
    assert_eq!(result_of(client.sync_future(&options)).unwrap().updated, 1);
    server.fail(500, "");
    let failed = result_of(source.refresh_future(&options.clone().force(true)));
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Http);
    client.clone().close();
    let closed = result_of(client.sync_future(&options));
    assert_eq!(closed.unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn dropping_a_future_cancels_its_request() {
    let server = Server::start();
    server.publish(5, records_json(&["\"n\": 1"]));
    server.stall(true);
    let source = source_of(&server);
    let mut future = source.refresh_future(&RefreshOptions::default());
    assert!(poll(&mut future).is_pending());
    server.wait_for_requests(1);
    drop(future);
    server.stall(false);
    // Had the request continued, it would be shared, or its data would be live.
    assert_eq!(source.refresh(None), Ok(Outcome::Updated));
    assert_eq!(server.requests(), 2);
}

#[test]
fn closing_the_client_completes_a_future_with_closed() {
    let server = Server::start();
    server.stall(true);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    let future = source.refresh_future(&RefreshOptions::default());
    server.wait_for_requests(1);
    client.close();
    assert_eq!(result_of(future).unwrap_err().kind(), ErrorKind::Closed);
}
