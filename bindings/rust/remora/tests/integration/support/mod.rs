// SPDX-License-Identifier: Apache-2.0

//! What the tests share: clients, sources, and ways to wait.

mod answers;
pub mod bundles;
pub mod files;
pub mod server;

use std::fmt::Write as _;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::Duration;

use files::File;
use remora::{
    Attachment, Cause, ChangeKind, Client, CollectionBuilder, ErrorKind, Source, Subscription,
    Trust,
};
use server::Server;

/// Longer than anything takes that does not hang.
pub const DEADLINE: Duration = Duration::from_secs(60);

pub fn memory_client() -> Client {
    Client::in_memory().build().unwrap()
}

/// A client of the server, which keeps everything in memory.
pub fn client_of(server: &Server) -> Client {
    Client::in_memory().server(server.url()).build().unwrap()
}

pub fn collection(client: &Client) -> CollectionBuilder {
    client.collection("things").trust(Trust::Off)
}

pub fn source_of(server: &Server) -> Source {
    collection(&client_of(server)).open().unwrap()
}

/// What a subscriber receives: the cause, and the kinds and keys of the changes.
pub type Received = (Cause, Vec<(ChangeKind, String)>);

/// A subscription of the whole source, and the events that it receives.
pub fn subscribed(source: &Source) -> (Subscription, Receiver<Received>) {
    let (sender, received) = channel();
    let subscription = source.subscribe(None, move |event| {
        let changes = event.changes();
        let kinds = changes.map(|one| (one.kind(), one.key().to_string()));
        sender.send((event.cause(), kinds.collect())).unwrap();
    });
    (subscription.unwrap(), received)
}

/// A server of these files, and a source in memory that has their records.
pub fn source_of_files(files: &[File]) -> (Server, Source) {
    let server = Server::start();
    server.publish_files(5, files);
    let source = source_of(&server);
    source.refresh(None).unwrap();
    (server, source)
}

/// Why something was not opened.
pub fn kind_of(opened: remora::Result<Attachment>) -> ErrorKind {
    opened.unwrap_err().kind()
}

/// A packaged file of records, each without its braces: `"n": 1` has the id "a", the next "b" …
pub fn packaged(timestamp: i64, records: &[&str]) -> String {
    format!(
        "{{\"data\": {}, \"timestamp\": {timestamp}}}",
        records_json(records)
    )
}

/// Records as the server has them, named as by `packaged`.
pub fn records_json(records: &[&str]) -> String {
    let mut text = String::new();
    for (id, record) in ('a'..).zip(records) {
        let comma = if text.is_empty() { "" } else { "," };
        write!(
            text,
            "{comma}{{\"id\": \"{id}\", \"last_modified\": 1, {record}}}"
        )
        .unwrap();
    }
    format!("[{text}]")
}

/// A source of a client in memory, with packaged records.
pub fn packaged_source(records: &[&str]) -> Source {
    collection(&memory_client())
        .packaged_data(packaged(1, records))
        .open()
        .unwrap()
}

/// Reports its drop: exactly once.
pub struct Tracked(Sender<()>);

/// Waits for the drop of its `Tracked`.
pub struct Drops(Receiver<()>);

pub fn tracked() -> (Tracked, Drops) {
    let (sender, receiver) = channel();
    (Tracked(sender), Drops(receiver))
}

impl Tracked {
    /// Makes a closure own it.
    pub fn hold(&self) {}
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.0.send(()).unwrap();
    }
}

impl Drops {
    pub fn wait(&self) {
        self.0.recv_timeout(DEADLINE).expect("never dropped");
    }

    pub fn are_none(&self) -> bool {
        self.0.try_recv().is_err()
    }
}

/// A sender for a closure, and a function that waits for what the closure sends.
pub fn reports<T>() -> (Sender<T>, impl Fn() -> T) {
    let (sender, receiver) = channel();
    (sender, move || {
        receiver
            .recv_timeout(DEADLINE)
            .expect("nothing was received in time")
    })
}
