// SPDX-License-Identifier: Apache-2.0

//! The modules of the crate use each other in one direction.

use std::fs;
use std::path::{Path, PathBuf};

/// The groups of modules that `lib.rs` declares, separated by empty lines.
fn groups(lib: &str) -> Vec<Vec<&str>> {
    lib.split("\n\n")
        .map(|part| {
            let lines = part.lines();
            lines
                .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
                .collect()
        })
        .collect()
}

/// The source files of a module: one file, or a folder of files.
fn files(source: &Path, module: &str) -> Vec<PathBuf> {
    match fs::read_dir(source.join(module)) {
        Ok(folder) => folder.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => vec![source.join(module).with_extension("rs")],
    }
}

/// The names that follow `crate::` in a text, alone or in braces.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).flat_map(|rest| {
        let braced = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let list = braced.map_or(rest, |(list, _)| list);
        let count = if braced.is_some() { usize::MAX } else { 1 };
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        list.split(move |letter| !is_word(letter)).take(count)
    })
}

#[test]
fn each_module_imports_only_modules_that_lib_rs_lists_before_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(source.join("lib.rs")).unwrap();
    let groups = groups(&lib);
    let all = groups.concat();
    let mut uses = 0;
    for (place, group) in groups.iter().enumerate() {
        let above = groups[..place].concat();
        for module in group {
            for file in files(&source, module) {
                let text = fs::read_to_string(&file).unwrap();
                for name in names(&text).filter(|name| name != module && all.contains(name)) {
                    assert!(above.contains(&name), "{} uses {name}", file.display());
                    uses += 1;
                }
            }
        }
    }
    assert!(uses > 0);
}
