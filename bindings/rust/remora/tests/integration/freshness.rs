// SPDX-License-Identifier: Apache-2.0

//! Whether the last successful refresh is recent enough.

use std::sync::mpsc::channel;
use std::time::Duration;

use remora::testing::{Clock, Server};
use remora::{Cause, Client, Freshness, Trust};

use crate::support::DEADLINE;

const MAX_STALE: Duration = Duration::from_secs(90);

#[test]
fn an_event_reports_that_data_became_stale_and_that_a_refresh_made_it_fresh() {
    let (server, clock) = (Server::new(), Clock::new());
    server.publish("c", 1000, r#"[{"id":"a","last_modified":1000}]"#);
    let client = Client::in_memory()
        .server(server.url())
        .transport(&server)
        .clock(&clock)
        .max_stale(MAX_STALE)
        .build()
        .unwrap();
    let source = client.collection("c").trust(Trust::Off).open().unwrap();
    assert_eq!(source.info().unwrap().freshness, Freshness::Never);
    let (sender, changes) = channel();
    let _subscription = source
        .subscribe(None, move |event| {
            if event.cause() == Cause::Freshness {
                sender
                    .send((event.old_freshness(), event.freshness()))
                    .unwrap();
            } else {
                assert_eq!(event.old_freshness(), event.freshness());
            }
        })
        .unwrap();
    let next = || changes.recv_timeout(DEADLINE).unwrap();
    source.refresh(DEADLINE).unwrap();
    assert_eq!(next(), (Freshness::Never, Freshness::Fresh));
    clock.advance(MAX_STALE + Duration::from_millis(1));
    assert_eq!(next(), (Freshness::Fresh, Freshness::Stale));
    assert_eq!(source.info().unwrap().freshness.to_string(), "stale");
    source.refresh(DEADLINE).unwrap();
    assert_eq!(next(), (Freshness::Stale, Freshness::Fresh));
}
