// SPDX-License-Identifier: Apache-2.0

//! Opens what is attached to a record, and downloads it when it is not stored yet:
//!
//!     attachment SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR RECORD
//!
//! ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to, or "off"
//! for a server that does not sign. Refreshes, and goes on with what is stored when that fails.
//! Prints what the record says, how far a download is, then the size and the file of what was
//! opened, and exits with 0; or prints what is wrong and exits with 1.

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
        eprintln!("going on with what is stored: {error}");
    }
    let attachment = open_attachment(&source, id)?;
    // The bytes are a slice. A file is there only if the storage directory could be written.
    let path = attachment.path().map(|path| path.display().to_string());
    println!(
        "open size={} path={}",
        attachment.len(),
        path.as_deref().unwrap_or("none")
    );
    Ok(())
}

/// Opens the collection, as the arguments say.
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

/// Opens what the record has now: what it says and the bytes belong together, whatever a refresh
/// brings meanwhile.
fn open_attachment(source: &Source, id: &str) -> Result<Attachment, String> {
    let snapshot = source.snapshot().map_err(|error| error.to_string())?;
    let record = snapshot
        .record(id)
        .ok_or_else(|| format!("there is no record {id}"))?;
    let info = record
        .attachment()
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("nothing is attached to {id}"))?;
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
