// SPDX-License-Identifier: Apache-2.0

//! Finds libremora: in the directory REMORA_LIB_DIR, otherwise with pkg-config.

use std::env;
use std::path::Path;
use std::process::{exit, Command};

const LIB_DIR: &str = "REMORA_LIB_DIR";
/// Set on docs.rs, which only builds documentation and has no libremora.
const DOCS_RS: &str = "DOCS_RS";
const PKG_CONFIG: &str = "PKG_CONFIG";
const AT_LEAST: &str = "0.1";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for variable in [LIB_DIR, DOCS_RS, PKG_CONFIG, "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if env::var_os(DOCS_RS).is_some() {
        return;
    }
    match env::var(LIB_DIR) {
        Ok(directory) if !directory.is_empty() => link_from(&directory),
        _ => link_by_pkg_config(),
    }
}

/// Links with the library of a directory, and lets programs of this package find it there. The
/// directory is handed on as DEP_REMORA_LIB_DIR to the build scripts of packages that depend on
/// this one: this script cannot know what they link.
fn link_from(directory: &str) {
    let path = match Path::new(directory).canonicalize() {
        Ok(path) if path.join("libremora.so").exists() => path,
        _ => fail(&format!(
            "{LIB_DIR} is {directory}, which does not contain libremora.so"
        )),
    };
    let path = path.display();
    println!("cargo:rustc-link-search=native={path}");
    println!("cargo:rustc-link-lib=dylib=remora");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{path}");
    println!("cargo:lib_dir={path}");
}

fn link_by_pkg_config() {
    let program = env::var(PKG_CONFIG).unwrap_or_else(|_| "pkg-config".to_string());
    let query = format!("remora >= {AT_LEAST}");
    let output = Command::new(&program)
        .args(["--libs", "--print-errors", &query])
        .output();
    let why = match output {
        Ok(output) if output.status.success() => {
            return pass_on(&String::from_utf8_lossy(&output.stdout));
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_string(),
        Err(error) => format!("{program} does not run: {error}"),
    };
    fail(&format!(
        "libremora was not found: set {LIB_DIR} to the directory that holds libremora.so, or \
         install Remora {AT_LEAST} or newer so that pkg-config finds \"remora\" ({why})"
    ));
}

/// Ends the build with a sentence instead of a panic's backtrace.
fn fail(sentence: &str) -> ! {
    eprintln!("{sentence}");
    exit(1);
}

/// Translates the linker's options for cargo.
fn pass_on(flags: &str) {
    for flag in flags.split_whitespace() {
        if let Some(directory) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={directory}");
        } else if let Some(name) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={name}");
        } else {
            println!("cargo:rustc-link-arg={flag}");
        }
    }
}
