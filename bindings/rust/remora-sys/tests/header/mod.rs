// SPDX-License-Identifier: Apache-2.0

//! Reads remora.h as far as the layout needs it: the names of constants and of members.

use std::fs;
use std::path::{Path, PathBuf};

pub fn include_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include")
}

pub fn text() -> String {
    fs::read_to_string(include_directory().join("remora.h")).unwrap()
}

/// Names of the constants that have a value.
pub fn constants(text: &str) -> Vec<String> {
    let defines = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let with_value = defines.filter(|define| define.contains(' '));
    with_value
        .map(|define| define.split(' ').next().unwrap().to_string())
        .collect()
}

/// Names of the members of each structure that is not opaque.
pub fn structures(text: &str) -> Vec<(String, Vec<String>)> {
    let text = without_comments(text);
    let bodies = text.split("typedef struct ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(&['{', ';'][..])?;
        // Of an opaque one the name comes twice.
        let is_opaque = name.trim().contains(' ');
        let (body, _) = rest.split_once('}').filter(|_| !is_opaque)?;
        Some((name.trim().to_string(), body.split(';')))
    });
    bodies
        .map(|(name, members)| (name, members.filter_map(member).collect()))
        .collect()
}

fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").unwrap().1;
    }
    plain + rest
}

/// The name in "const char *name", "char name[496]" or "void (*name)(void *)".
fn member(declaration: &str) -> Option<String> {
    let name = match declaration.split_once("(*") {
        Some((_, rest)) => rest.split(')').next()?,
        None => declaration
            .split('[')
            .next()?
            .rsplit(|character: char| !character.is_alphanumeric() && character != '_')
            .next()?,
    };
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}
