// SPDX-License-Identifier: Apache-2.0

//! Reads our own declarations, as rustfmt leaves them.

use super::{without_spaces, Declarations};

/// Functions, callback types, aliases and structures.
pub fn declarations(text: &str) -> Declarations {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.starts_with("#[")
    };
    let code: Vec<&str> = text.lines().filter(is_code).collect();
    let code = code.join("\n");
    let mut found = Declarations::new();
    for item in code.split("\npub type ").skip(1) {
        let (name, kind) = item.split_once(';').unwrap().0.split_once('=').unwrap();
        found.insert(without_spaces(name), tidy(kind));
    }
    for item in code.split("pub fn ").skip(1) {
        let (name, signature) = item.split_once(';').unwrap().0.split_once('(').unwrap();
        found.insert(without_spaces(name), format!("fn({}", tidy(signature)));
    }
    for item in code.split("\npub struct ").skip(1) {
        let (name, body) = item.split_once("\n}").unwrap().0.split_once('{').unwrap();
        let kind = match body.contains("_opaque") {
            true => "opaque".to_string(),
            false => format!("struct{{{}}}", tidy(body).trim_end_matches(',')),
        };
        found.insert(without_spaces(name), kind);
    }
    found
}

/// Without spaces, and without the commas of broken lines.
fn tidy(text: &str) -> String {
    without_spaces(text).replace(",)", ")").replace(",>", ">")
}
