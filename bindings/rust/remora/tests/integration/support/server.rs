// SPDX-License-Identifier: Apache-2.0

//! A server of one unsigned collection, under any name, on loopback: it answers a request and
//! closes. Its monitor lists main/things. It counts requests, and fails or stalls when told to.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use super::DEADLINE;

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

#[derive(Default)]
struct Script {
    timestamp: i64,
    records: String,
    /// Status line's number, a header line, and the body; else the collection answers.
    answer: Option<(u16, String, String)>,
    /// The name of a collection that is answered with 500.
    broken: Option<String>,
    stalls: bool,
    is_over: bool,
    heads: Vec<String>,
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

    /// Answers with that status; `header` is a whole line, or empty.
    pub fn fail(&self, status: u16, header: &str) {
        self.shared.lock().answer = Some((status, header.to_string(), "{}".to_string()));
    }

    /// Answers with 500 for the collection of that name.
    pub fn break_collection(&self, name: &str) {
        self.shared.lock().broken = Some(name.to_string());
    }

    /// Answers with that body.
    pub fn say(&self, body: &str) {
        self.shared.lock().answer = Some((200, String::new(), body.to_string()));
    }

    /// Lets every answer wait, or go on.
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
        assert!(!waited.1.timed_out(), "{count} requests never came");
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
    // The client may have gone.
    let _ = stream.write_all(answer.as_bytes());
    let _ = stream.shutdown(Shutdown::Both);
}

fn answer(script: &Script, head: &str) -> String {
    let (status, header, body) = script
        .answer
        .clone()
        .unwrap_or_else(|| changeset(script, head));
    let header = if header.is_empty() {
        header
    } else {
        header + "\r\n"
    };
    format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\n{header}\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// All records, none when the client has this version, or a way to all of them.
fn changeset(script: &Script, head: &str) -> (u16, String, String) {
    let target = head.split(' ').nth(1).unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parts: Vec<&str> = path.split('/').collect();
    if parts.len() != 7 || parts[1] != "v2" || parts[6] != "changeset" {
        return (404, String::new(), "{}".to_string());
    }
    if script.broken.as_deref() == Some(parts[5]) {
        return (500, String::new(), "{}".to_string());
    }
    if (parts[3], parts[5]) == ("monitor", "changes") {
        return (200, String::new(), announcement(script.timestamp));
    }
    let since = query
        .split('&')
        .find_map(|part| part.strip_prefix("_since="));
    let records = match since {
        None => &script.records,
        Some(since) if since == script.timestamp.to_string() => "[]",
        Some(_) => return (307, format!("Location: {path}?_expected=0"), String::new()),
    };
    let metadata = format!("{{\"bucket\": \"{}\", \"id\": \"{}\"}}", parts[3], parts[5]);
    let timestamp = script.timestamp;
    let body =
        format!("{{\"metadata\": {metadata}, \"timestamp\": {timestamp}, \"changes\": {records}}}");
    (200, String::new(), body)
}

/// What the monitor says.
fn announcement(timestamp: i64) -> String {
    format!(
        "{{\"metadata\": {{}}, \"timestamp\": {timestamp}, \"changes\": [{{\"id\": \"1\", \"host\": \"h\", \
         \"bucket\": \"main\", \"collection\": \"things\", \"last_modified\": {timestamp}}}]}}"
    )
}
