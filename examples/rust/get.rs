// SPDX-License-Identifier: Apache-2.0

//! Reads one value from local data, without any request:
//!
//!     get SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR KEY [POINTER]
//!
//! ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to, or "off"
//! for a server that does not sign. POINTER is a JSON Pointer into the value. Prints the origin of
//! the data, then the value as JSON, and exits with 0. On an error it prints the reason and exits
//! with 1.

use std::env;
use std::process::ExitCode;

use remora::{Client, Trust};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let (arguments, key, pointer) = match arguments.as_slice() {
        [_, rest @ .., key] if rest.len() == 4 => (rest, key, None),
        [_, rest @ .., key, pointer] if rest.len() == 4 => (rest, key, Some(pointer.as_str())),
        _ => {
            let usage = "SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR KEY [POINTER]";
            eprintln!("usage: {} {usage}", arguments[0]);
            return ExitCode::from(2);
        }
    };
    match print_value(arguments, key, pointer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn print_value(arguments: &[String], key: &str, pointer: Option<&str>) -> Result<(), String> {
    let snapshot = open(arguments).map_err(|error| error.to_string())?;
    let value = snapshot
        .get(key)
        .ok_or_else(|| format!("there is no key {key}"))?;
    let value = value
        .at(pointer.unwrap_or(""))
        .ok_or_else(|| format!("{key} has no such value"))?;
    let json = value.to_json().map_err(|error| error.to_string())?;
    let info = snapshot.info();
    let verified = if info.verified { "yes" } else { "no" };
    println!(
        "origin={} version={} verified={verified}",
        info.origin, info.version
    );
    println!("{json}");
    Ok(())
}

/// Opens the collection that the arguments describe. The snapshot outlives client and source.
fn open(arguments: &[String]) -> remora::Result<remora::Snapshot> {
    let client = Client::builder(&arguments[3])
        .server(&arguments[0])
        .build()?;
    let collection = client.collection(&arguments[2]);
    let collection = match arguments[1].as_str() {
        "off" => collection.trust(Trust::Off),
        root => collection.root_sha256(root),
    };
    collection.open()?.snapshot()
}
