// SPDX-License-Identifier: Apache-2.0

//! A server in memory, which responds inside the call of the library, on the engine thread.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::os::raw::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use remora_sys as sys;

use crate::ffi::{contain, defaults};

/// A collection: its timestamp, and the JSON array of its records.
type Collection = (i64, String);

#[derive(Debug, Default)]
struct State {
    /// The collections by "BUCKET/COLLECTION".
    collections: BTreeMap<String, Collection>,
    documents: BTreeMap<String, String>,
    failures: Vec<Answer>,
    is_down: bool,
    requests: Vec<String>,
}

#[derive(Clone, Debug)]
struct Answer {
    status: i32,
    header: Option<String>,
    body: String,
}

impl Answer {
    fn new(status: i32, body: impl Into<String>) -> Self {
        let body = body.into();
        Self {
            status,
            header: None,
            body,
        }
    }
}

/// A server without a network. Clones are the same server.
///
/// Any thread may use the server. It does not sign, and serves no attachments.
#[derive(Clone, Debug, Default)]
pub struct Server {
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Creates a server without documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a URL for [`ClientBuilder::server`](crate::ClientBuilder::server).
    pub fn url(&self) -> &'static str {
        "https://settings.test"
    }

    /// Publishes a collection of the bucket "main", or a new version of it. Calls of `sync` find it
    /// too.
    ///
    /// `timestamp` is the version in milliseconds since 1970, greater than the last version.
    /// `records` is a JSON array of all records, objects with "id" and "last_modified".
    ///
    /// # Panics
    /// If the timestamp is not greater than the last version, because clients would keep that
    /// version.
    pub fn publish(&self, collection: &str, timestamp: i64, records: impl Into<String>) {
        let place = format!("main/{collection}");
        let version = (timestamp, records.into());
        let mut state = self.state();
        let last = state.collections.get(&place).map(|(last, _)| *last);
        let is_newer = last.map_or(timestamp > 0, |last| timestamp > last);
        if is_newer {
            state.collections.insert(place, version);
        }
        drop(state);
        assert!(
            is_newer,
            "the timestamp {timestamp} of {collection} is not greater than {}",
            last.unwrap_or(0)
        );
    }

    /// Publishes a document at a URL, such as settings or a bundle. Requests with any query receive
    /// the document.
    pub fn publish_document(&self, url: &str, document: impl Into<String>) {
        let document = document.into();
        self.state().documents.insert(url.to_owned(), document);
    }

    /// Makes the next `count` requests fail with an HTTP status, and a Retry-After header if
    /// `retry_after` is not `None`.
    ///
    /// # Panics
    /// If the status is not from 200 to 599.
    pub fn fail_next(&self, count: usize, status: u16, retry_after: impl Into<Option<Duration>>) {
        assert!((200..600).contains(&status), "status is {status}");
        let mut answer = Answer::new(i32::from(status), "");
        answer.header = retry_after
            .into()
            .map(|time| format!("Retry-After: {}", time.as_secs()));
        self.state().failures = vec![answer; count];
    }

    /// Makes the server unavailable: requests fail with [`ErrorKind::Network`](crate::ErrorKind)
    /// until [`up`](Self::up).
    pub fn down(&self) {
        self.state().is_down = true;
    }

    /// Makes the server available again.
    pub fn up(&self) {
        self.state().is_down = false;
    }

    /// Returns the URLs of all requests, the oldest first.
    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the transport in C. The call that receives the configuration owns the user data.
    pub(crate) fn raw(&self) -> sys::remora_transport {
        // SAFETY: zero bytes are a transport of NULLs.
        let mut raw = unsafe { defaults::<sys::remora_transport>() };
        raw.send = Some(send);
        raw.user_data = Arc::into_raw(Arc::clone(&self.state)) as *mut c_void;
        raw.free_user_data = Some(free);
        raw
    }
}

impl State {
    /// Returns the response to a request; `None` if the server is down.
    fn answer(&mut self, url: &str) -> Option<Answer> {
        self.requests.push(url.to_owned());
        if self.is_down {
            return None;
        }
        if let Some(failure) = self.failures.pop() {
            return Some(failure);
        }
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        Some(match place_of(path) {
            Some(place) if place == "monitor/changes" => {
                let newest = self.collections.values().map(|(time, _)| *time).max();
                changeset(path, &place, &(newest.unwrap_or(1), self.list()), query)
            }
            Some(place) => match self.collections.get(&place) {
                Some(collection) => changeset(path, &place, collection, query),
                None => Answer::new(404, ""),
            },
            None => match self.documents.get(url).or_else(|| self.documents.get(path)) {
                Some(document) => Answer::new(200, document.as_str()),
                None => Answer::new(404, ""),
            },
        })
    }

    /// Returns the response of the monitor: the list of collections.
    fn list(&self) -> String {
        let entries = self.collections.iter().map(|(place, (time, _))| {
            let (bucket, name) = place.split_once('/').unwrap_or(("", place));
            format!(
                r#"{{"id":"{bucket}-{name}","last_modified":{time},"bucket":"{bucket}","collection":"{name}"}}"#
            )
        });
        format!("[{}]", entries.collect::<Vec<_>>().join(","))
    }
}

/// Returns the "BUCKET/COLLECTION" that the path of a changeset names.
fn place_of(path: &str) -> Option<String> {
    let (_, rest) = path.split_once("/buckets/")?;
    let (bucket, rest) = rest.split_once("/collections/")?;
    let name = rest.strip_suffix("/changeset")?;
    Some(format!("{bucket}/{name}"))
}

/// Responds with all records of a collection, with no records if the client has this version, or with
/// a redirect to all records.
fn changeset(path: &str, place: &str, (time, records): &Collection, query: &str) -> Answer {
    let since = query
        .split('&')
        .find_map(|item| item.strip_prefix("_since="))
        .map(|text| text.replace("%22", ""));
    let changes = match since {
        None => records.as_str(),
        Some(since) if since == time.to_string() => "[]",
        Some(_) => {
            let mut redirect = Answer::new(307, "");
            redirect.header = Some(format!("Location: {path}"));
            return redirect;
        }
    };
    let (bucket, name) = place.split_once('/').unwrap_or(("", place));
    Answer::new(
        200,
        format!(
            r#"{{"metadata":{{"bucket":"{bucket}","id":"{name}"}},"timestamp":{time},"changes":{changes}}}"#
        ),
    )
}

unsafe extern "C" fn send(request: *const sys::remora_http_request, user_data: *mut c_void) {
    contain(|| {
        // SAFETY: `raw` made the user data, which the library has not freed; the request lives during the call.
        let (state, id, url) = unsafe {
            let state = &*user_data.cast::<Mutex<State>>();
            (state, (*request).id, CStr::from_ptr((*request).url))
        };
        let answer = state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answer(&url.to_string_lossy());
        respond(id, answer);
    });
}

/// Completes a request with a response, or with a network error for `None`.
fn respond(id: i64, answer: Option<Answer>) {
    let header = answer.as_ref().and_then(|answer| answer.header.clone());
    let header = header.and_then(|line| CString::new(line).ok());
    let headers = [
        header.as_ref().map_or(ptr::null(), |line| line.as_ptr()),
        ptr::null(),
    ];
    // SAFETY: zero bytes are a response of NULLs.
    let mut response = unsafe { defaults::<sys::remora_http_response>() };
    match &answer {
        Some(answer) => {
            response.http_status = answer.status;
            response.headers = headers.as_ptr();
            response.body = answer.body.as_ptr().cast();
            response.body_size = answer.body.len();
        }
        None => {
            response.failure = sys::REMORA_ERR_NETWORK;
            response.message = b"the test server is down\0".as_ptr().cast();
        }
    }
    // SAFETY: the response and what it points to live during the call, which copies it.
    unsafe { sys::remora_respond(id, &response, ptr::null_mut()) };
}

unsafe extern "C" fn free(user_data: *mut c_void) {
    // SAFETY: `raw` made the user data, and the library frees them once.
    contain(|| drop(unsafe { Arc::from_raw(user_data.cast::<Mutex<State>>()) }));
}
