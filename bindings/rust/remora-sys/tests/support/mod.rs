// SPDX-License-Identifier: Apache-2.0

//! Declarations as text, so that those of the header and ours can be compared: the name, and what
//! it is in Rust's words without spaces.

// Each test uses its own part of this.
#![allow(dead_code)]

pub mod header;
pub mod source;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub type Declarations = BTreeMap<String, String>;

pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn include_directory() -> PathBuf {
    package().join("../../../include")
}

pub fn header_text() -> String {
    fs::read_to_string(include_directory().join("remora.h")).unwrap()
}

/// All of the crate's source.
pub fn source_text() -> String {
    let mut files: Vec<PathBuf> = fs::read_dir(package().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect()
}

pub fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}
