// SPDX-License-Identifier: Apache-2.0

//! Lets this package's tests and examples find a library of REMORA_LIB_DIR.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(directory) = env::var("DEP_REMORA_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
