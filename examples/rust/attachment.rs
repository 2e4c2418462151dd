// SPDX-License-Identifier: Apache-2.0

//! Opens the attachment of a record, and downloads it first if it is not stored:
//!
//!     attachment SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR RECORD
//!
//! ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to, or "off"
//! for a server that does not sign. Refreshes first; if that fails, the stored data is used. Prints
//! the attachment's description in the record, the progress of the download, and the size and path
//! of the opened file, and exits with 0. On an error it prints the reason and exits with 1.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use remora::{Attachment, Client, Source, Trust};

const REFRESH_LIMIT: Duration = Duration::from_secs(10);
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let (arguments, id) = match arguments.as_slice() {
        [_, rest @ .., id] if rest.len() == 4 => (rest, id),
        _ => {
            let usage = "SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR RECORD";
            eprintln!("usage: {} {usage}", arguments[0]);
            return ExitCode::from(2);
        }
    };
    match print_attachment(arguments, id) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn print_attachment(arguments: &[String], id: &str) -> Result<(), String> {
    let source = open_source(arguments).map_err(|error| error.to_string())?;
    if let Err(error) = source.refresh(REFRESH_LIMIT) {
        eprintln!("refresh failed, using the stored data: {error}");
    }
    let attachment = open_attachment(&source, id)?;
    // The bytes are a slice. A file exists only if the storage directory is writable.
    let path = attachment.path().map(|path| path.display().to_string());
    println!(
        "open size={} path={}",
        attachment.len(),
        path.as_deref().unwrap_or("none")
    );
    Ok(())
}

/// Opens the collection that the arguments describe.
fn open_source(arguments: &[String]) -> remora::Result<Source> {
    let client = Client::builder(&arguments[3])
        .server(&arguments[0])
        .build()?;
    let collection = client.collection(&arguments[2]);
    let collection = match arguments[1].as_str() {
        "off" => collection.trust(Trust::Off),
        root => collection.root_sha256(root),
    };
    collection.open()
}

/// Opens the attachment that the record has now. The record and the bytes match even if a refresh
/// replaces the live data.
fn open_attachment(source: &Source, id: &str) -> Result<Attachment, String> {
    let snapshot = source.snapshot().map_err(|error| error.to_string())?;
    let record = snapshot
        .record(id)
        .ok_or_else(|| format!("there is no record {id}"))?;
    let info = record
        .attachment()
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("record {id} has no attachment"))?;
    println!(
        "record {id} filename={} mimetype={} size={}",
        info.filename.unwrap_or("none"),
        info.mimetype.unwrap_or("none"),
        info.size
    );
    source
        .attachment(&record)
        .timeout(DOWNLOAD_LIMIT)
        .on_progress(|received, total| println!("progress {received} of {total}"))
        .open()
        .map_err(|error| error.to_string())
}
