// SPDX-License-Identifier: Apache-2.0

//! The dumps that the reference client packages, opened as packaged files. The files are not the
//! project's; `REMORA_VECTORS` names their folder, and without it there is nothing to read.

use std::env;
use std::fs;
use std::path::PathBuf;

use remora::{Client, Trust};

const NAMES: [&str; 7] = [
    "regions",
    "search-config-icons",
    "search-config-v2",
    "search-telemetry-v2",
    "summarizer-models-config",
    "translations-models",
    "translations-wasm",
];

#[test]
fn every_record_of_a_packaged_dump_can_be_read_with_its_attachment() {
    let vectors = match env::var_os("REMORA_VECTORS") {
        Some(vectors) => vectors,
        None => {
            return eprintln!("skipped: REMORA_VECTORS does not name the folder of the vectors")
        }
    };
    let folder = PathBuf::from(vectors).join("rs-dumps-appservices/main");
    let client = Client::in_memory().build().unwrap();
    for name in NAMES {
        let file = folder.join(name).with_extension("json");
        let text = fs::read_to_string(&file).unwrap();
        let source = client
            .collection(name)
            .trust(Trust::Off)
            .packaged_file(&file);
        let snapshot = source.open().unwrap().unfiltered_snapshot().unwrap();
        assert_eq!(snapshot.len(), text.matches("\"last_modified\"").count());
        let mut attached = 0;
        for (key, value) in &snapshot {
            let record = snapshot.record(key).unwrap();
            assert_eq!(value.member("id").unwrap().as_str(), Some(key));
            attached += usize::from(record.attachment().unwrap().is_some());
        }
        assert_eq!(attached, text.matches("\"attachment\"").count(), "{name}");
    }
}
