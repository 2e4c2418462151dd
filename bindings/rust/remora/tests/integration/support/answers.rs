// SPDX-License-Identifier: Apache-2.0

//! The answers of the server.

use super::files::File;

/// The path of the attachments.
pub const ATTACHMENTS: &str = "/attachments/";

/// What the server answers with.
#[derive(Default)]
pub struct Script {
    pub timestamp: i64,
    pub records: String,
    /// Status line's number, a header line, and the body; else the collection answers.
    pub answer: Option<(u16, String, String)>,
    /// The name of a collection that is answered with 500.
    pub broken: Option<String>,
    /// What is attached to records.
    pub files: Vec<File>,
    /// The base URL of the attachments, as the server reports it.
    pub base_url: String,
    pub stalls: bool,
    pub is_over: bool,
    pub heads: Vec<String>,
}

/// The whole answer to a request.
pub fn answer(script: &Script, head: &str) -> Vec<u8> {
    let (status, header, body) = match (&script.answer, attached(script, head)) {
        (Some((status, header, body)), _) => (*status, header.clone(), body.clone().into_bytes()),
        (None, Some(bytes)) => (200, String::new(), bytes),
        (None, None) => {
            let (status, header, body) = changeset(script, head);
            (status, header, body.into_bytes())
        }
    };
    let header = if header.is_empty() {
        header
    } else {
        header + "\r\n"
    };
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\n{header}\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body].concat()
}

/// The answer that has the base URL of attachments, or an attachment.
fn attached(script: &Script, head: &str) -> Option<Vec<u8>> {
    let target = head.split(' ').nth(1).unwrap();
    if target == "/v2/" {
        let (name, base_url) = ("capabilities", &script.base_url);
        let root = format!("{{\"{name}\": {{\"attachments\": {{\"base_url\": \"{base_url}\"}}}}}}");
        return Some(root.into_bytes());
    }
    let location = target.strip_prefix(ATTACHMENTS)?;
    let file = script.files.iter().find(|file| file.location == location)?;
    Some(file.bytes.clone())
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
        return (200, String::new(), monitor_answer(script.timestamp));
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

/// The answer of the monitor.
fn monitor_answer(timestamp: i64) -> String {
    format!(
        "{{\"metadata\": {{}}, \"timestamp\": {timestamp}, \"changes\": [{{\"id\": \"1\", \"host\": \"h\", \
         \"bucket\": \"main\", \"collection\": \"things\", \"last_modified\": {timestamp}}}]}}"
    )
}
