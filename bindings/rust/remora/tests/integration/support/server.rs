// SPDX-License-Identifier: Apache-2.0

//! A server of one unsigned collection, under any name, on loopback: it answers a request and
//! closes. Its monitor lists main/things, and it has attachments. It counts requests, and fails or
//! stalls on demand.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use super::answers::{answer, Script, ATTACHMENTS};
use super::files::File;
use super::{records_json, DEADLINE};

pub struct Server {
    shared: Arc<Shared>,
    address: String,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    script: Mutex<Script>,
    changed: Condvar,
}

impl Server {
    /// With an empty collection of timestamp 1.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Shared::default());
        let acceptor = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || accept_all(&listener, &shared))
        };
        let server = Self {
            shared,
            address,
            acceptor: Some(acceptor),
        };
        server.publish(1, "[]");
        server.shared.lock().base_url = server.url() + ATTACHMENTS;
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn publish(&self, timestamp: i64, records: impl Into<String>) {
        let mut script = self.shared.lock();
        script.timestamp = timestamp;
        script.records = records.into();
        script.answer = None;
    }

    /// Publishes a record per file, with that attached: "a", "b" …
    pub fn publish_files(&self, timestamp: i64, files: &[File]) {
        let members: Vec<String> = files.iter().map(File::member).collect();
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        self.publish(timestamp, records_json(&members));
        self.shared.lock().files.extend_from_slice(files);
    }

    /// Puts other bytes in the place of a file's.
    pub fn replace_bytes(&self, location: &str, bytes: &[u8]) {
        let mut script = self.shared.lock();
        let files = script.files.iter_mut();
        for file in files.filter(|file| file.location == location) {
            file.bytes = bytes.to_vec();
        }
    }

    /// Answers with that status; `header` is a whole line, or empty.
    pub fn fail(&self, status: u16, header: &str) {
        self.shared.lock().answer = Some((status, header.to_string(), "{}".to_string()));
    }

    /// Answers with 500 for the collection of that name.
    pub fn break_collection(&self, name: &str) {
        self.shared.lock().broken = Some(name.to_string());
    }

    /// Answers with that body.
    pub fn answer_with(&self, body: &str) {
        self.shared.lock().answer = Some((200, String::new(), body.to_string()));
    }

    /// Delays every answer, or sends the delayed answers.
    pub fn stall(&self, stalls: bool) {
        self.shared.lock().stalls = stalls;
        self.shared.changed.notify_all();
    }

    pub fn requests(&self) -> usize {
        self.shared.lock().heads.len()
    }

    pub fn wait_for_requests(&self, count: usize) {
        let script = self.shared.lock();
        let is_short = |script: &mut Script| script.heads.len() < count;
        let waited = self
            .shared
            .changed
            .wait_timeout_while(script, DEADLINE, is_short)
            .unwrap();
        assert!(!waited.1.timed_out(), "{count} requests did not arrive");
    }

    /// The head of the last request.
    pub fn last_head(&self) -> String {
        self.shared.lock().heads.last().cloned().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        // Wakes the acceptor.
        drop(TcpStream::connect(&self.address));
        self.acceptor.take().unwrap().join().unwrap();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut visits = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        if shared.lock().is_over {
            break;
        }
        let shared = Arc::clone(shared);
        visits.push(thread::spawn(move || serve(&stream, &shared)));
    }
    for visit in visits {
        visit.join().unwrap();
    }
}

fn serve(mut stream: &TcpStream, shared: &Shared) {
    let mut head = String::new();
    let mut reader = BufReader::new(stream);
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let mut script = shared.lock();
    script.heads.push(head.clone());
    shared.changed.notify_all();
    while script.stalls && !script.is_over {
        script = shared.changed.wait(script).unwrap();
    }
    let answer = answer(&script, &head);
    drop(script);
    // The client may have closed the connection.
    let _ = stream.write_all(&answer);
    let _ = stream.shutdown(Shutdown::Both);
}
