// SPDX-License-Identifier: Apache-2.0

//! Where the build looks for the library, and its message if there is none.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by each test: a file that one writes to run it must not be open in a child of another.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The directory of one test, empty.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Compiles the build script and returns a command that runs it with nothing set.
fn build_script(directory: &Path) -> Command {
    let script = directory.join("build_script");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let status = Command::new(rustc)
        .args(["--edition", "2021", "-o"])
        .arg(&script)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs"))
        .status()
        .unwrap();
    assert!(status.success());
    let mut command = Command::new(script);
    command
        .env_remove("REMORA_LIB_DIR")
        .env_remove("DOCS_RS")
        .env_remove("PKG_CONFIG");
    command
}

/// A pkg-config that prints its arguments to a file and then runs the given commands.
fn pkg_config(directory: &Path, then: &str) -> PathBuf {
    let script = directory.join("pkg-config");
    let arguments = directory.join("arguments");
    fs::write(
        &script,
        format!("#!/bin/sh\necho \"$*\" > {}\n{then}\n", arguments.display()),
    )
    .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    script
}

fn lines(output: &Output) -> Vec<String> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_string)
        .collect()
}

fn complaint(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_string()
}

#[test]
fn the_directory_in_remora_lib_dir_is_linked_and_passed_to_dependent_crates() {
    let _alone = alone();
    let directory = directory("named");
    fs::write(directory.join("libremora.so"), "").unwrap();
    let lines = lines(
        &build_script(&directory)
            .env("REMORA_LIB_DIR", &directory)
            .output()
            .unwrap(),
    );
    let directory = directory.canonicalize().unwrap();
    let directory = directory.display();
    for line in [
        format!("cargo:rustc-link-search=native={directory}"),
        "cargo:rustc-link-lib=dylib=remora".to_string(),
        format!("cargo:rustc-link-arg=-Wl,-rpath,{directory}"),
        format!("cargo:lib_dir={directory}"),
        "cargo:rerun-if-env-changed=REMORA_LIB_DIR".to_string(),
    ] {
        assert!(lines.contains(&line), "{line} is not in {lines:#?}");
    }
}

#[test]
fn an_error_about_a_remora_lib_dir_without_the_library_names_the_directory() {
    let _alone = alone();
    let directory = directory("empty");
    let output = build_script(&directory)
        .env("REMORA_LIB_DIR", &directory)
        .output()
        .unwrap();
    let wanted = format!(
        "REMORA_LIB_DIR is {}, which does not contain libremora.so",
        directory.display()
    );
    assert_eq!(complaint(&output), wanted);
}

#[test]
fn the_build_script_passes_the_required_version_to_pkg_config_and_its_output_to_cargo() {
    let _alone = alone();
    let directory = directory("pkg-config");
    let program = pkg_config(
        &directory,
        "echo -L/opt/remora/lib -lremora -Wl,--as-needed",
    );
    let lines = lines(
        &build_script(&directory)
            .env("PKG_CONFIG", program)
            .output()
            .unwrap(),
    );
    for line in [
        "cargo:rustc-link-search=native=/opt/remora/lib",
        "cargo:rustc-link-lib=remora",
        "cargo:rustc-link-arg=-Wl,--as-needed",
    ] {
        assert!(
            lines.iter().any(|other| other == line),
            "{line} is not in {lines:#?}"
        );
    }
    let asked = fs::read_to_string(directory.join("arguments")).unwrap();
    assert!(
        asked.contains("--libs") && asked.contains("remora >= 0.1"),
        "{asked}"
    );
}

#[test]
fn documentation_on_docs_rs_is_built_without_the_library() {
    let _alone = alone();
    let mut script = build_script(&directory("docs_rs"));
    script.env("DOCS_RS", "1").env("PKG_CONFIG", "/nonexistent");
    let lines = lines(&script.output().unwrap());
    assert!(!lines.iter().any(|line| line.contains("link")), "{lines:?}");
}

#[test]
fn an_error_about_a_missing_library_is_one_line_that_names_remora_lib_dir_and_pkg_config() {
    let _alone = alone();
    let directory = directory("nowhere");
    let program = pkg_config(&directory, "echo no such package >&2; exit 1");
    let mut script = build_script(&directory);
    let sentence = complaint(&script.env("PKG_CONFIG", program).output().unwrap());
    for words in ["REMORA_LIB_DIR", "pkg-config", "no such package"] {
        assert!(sentence.contains(words), "{sentence}");
    }
    assert_eq!(sentence.lines().count(), 1);
    let missing = complaint(&script.env("PKG_CONFIG", "/nonexistent").output().unwrap());
    assert!(missing.contains("/nonexistent does not run"), "{missing}");
}
