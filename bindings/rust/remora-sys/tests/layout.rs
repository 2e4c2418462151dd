// SPDX-License-Identifier: Apache-2.0

//! Sizes, offsets and values are those that a C compiler sees in remora.h.

mod header;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use remora_sys::*;

/// A name, such as "remora_error.message", and its size, offset or value.
type Facts = BTreeMap<String, String>;

trait Constant {
    fn text(&self) -> String;
}

impl Constant for i32 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Constant for u32 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl<const N: usize> Constant for &[u8; N] {
    fn text(&self) -> String {
        let (nul, text) = self.split_last().unwrap();
        assert_eq!(*nul, 0);
        String::from_utf8(text.to_vec()).unwrap()
    }
}

macro_rules! constants {
    ($facts:ident: $($name:ident)+) => {
        $($facts.insert(stringify!($name).to_string(), $name.text());)+
    };
}

macro_rules! structures {
    ($facts:ident: $($name:ident { $($field:ident),+ };)+) => {
        $(
            let whole = std::mem::MaybeUninit::<$name>::uninit();
            let start = whole.as_ptr();
            let size = std::mem::size_of::<$name>();
            $facts.insert(stringify!($name).to_string(), size.to_string());
            $(
                // SAFETY: only the address of the member is taken, inside of `whole`.
                let address = unsafe { std::ptr::addr_of!((*start).$field) };
                let offset = address as usize - start as usize;
                let name = concat!(stringify!($name), ".", stringify!($field));
                $facts.insert(name.to_string(), offset.to_string());
            )+
        )+
    };
}

fn ours() -> Facts {
    let mut facts = Facts::new();
    constants! { facts:
        REMORA_VERSION_MAJOR
        REMORA_VERSION_MINOR
        REMORA_VERSION_PATCH
        REMORA_VERSION
        REMORA_OK
        REMORA_ERR_INVALID_ARGUMENT
        REMORA_ERR_NOT_FOUND
        REMORA_ERR_WRONG_TYPE
        REMORA_ERR_TIMEOUT
        REMORA_ERR_CANCELLED
        REMORA_ERR_CLOSED
        REMORA_ERR_BUSY
        REMORA_ERR_NETWORK
        REMORA_ERR_TLS
        REMORA_ERR_HTTP
        REMORA_ERR_REDIRECT
        REMORA_ERR_TOO_LARGE
        REMORA_ERR_UNAVAILABLE
        REMORA_ERR_BACKOFF
        REMORA_ERR_PARSE
        REMORA_ERR_FORMAT
        REMORA_ERR_SIGNATURE_MISSING
        REMORA_ERR_SIGNATURE_MALFORMED
        REMORA_ERR_SIGNATURE_MISMATCH
        REMORA_ERR_CHAIN_MALFORMED
        REMORA_ERR_CHAIN_INVALID
        REMORA_ERR_CERTIFICATE_EXPIRED
        REMORA_ERR_CERTIFICATE_SUBJECT
        REMORA_ERR_ROOT_MISMATCH
        REMORA_ERR_CHAIN_LOCATION
        REMORA_ERR_FUTURE
        REMORA_ERR_EQUIVOCATION
        REMORA_ERR_STORAGE
        REMORA_ERR_PERMISSION
        REMORA_ERR_CORRUPT
        REMORA_ERR_INTERNAL
        REMORA_LOG_ERROR
        REMORA_LOG_WARNING
        REMORA_LOG_INFO
        REMORA_LOG_DEBUG
        REMORA_CALLBACKS_ON_THREAD
        REMORA_CALLBACKS_ON_DISPATCH
        REMORA_SERVER_PROD
        REMORA_SERVER_STAGE
        REMORA_SERVER_DEV
        REMORA_STORAGE_MEMORY
        REMORA_ORIGIN_NONE
        REMORA_ORIGIN_PACKAGED
        REMORA_ORIGIN_CACHED
        REMORA_ORIGIN_FETCHED
        REMORA_OUTCOME_NONE
        REMORA_OUTCOME_UPDATED
        REMORA_OUTCOME_UNCHANGED
        REMORA_OUTCOME_NOT_NEWER
        REMORA_OUTCOME_REFUSED
        REMORA_OUTCOME_FAILED
        REMORA_CAUSE_OPENED
        REMORA_CAUSE_REFRESHED
        REMORA_CAUSE_ADOPTED
        REMORA_CAUSE_RESET
        REMORA_CHANGE_CREATED
        REMORA_CHANGE_UPDATED
        REMORA_CHANGE_DELETED
        REMORA_TRUST_REQUIRED
        REMORA_TRUST_OFF
        REMORA_AWAIT_IF_EMPTY
        REMORA_TYPE_NONE
        REMORA_TYPE_NULL
        REMORA_TYPE_BOOL
        REMORA_TYPE_INT
        REMORA_TYPE_DOUBLE
        REMORA_TYPE_STRING
        REMORA_TYPE_ARRAY
        REMORA_TYPE_OBJECT
    }
    structures! { facts:
        remora_error { status, http_status, retry_after_ms, message };
        remora_config { struct_size, storage_dir, application_name, application_version, application_build, server, bucket, proxy, ca_file, headers, user_agent, connect_timeout_ms, stall_timeout_ms, total_timeout_ms, max_body_bytes, log_level, callbacks, log_callback, log_user_data, log_free_user_data };
        remora_value { node, region };
        remora_change { kind, reserved, key, key_length, old_value, new_value };
        remora_event { struct_size, cause, outcome, origin, reserved, version, changes, change_count, old_snapshot, new_snapshot, error, storage_error };
        remora_collection_options { struct_size, collection, server, bucket, trust, reserved, root_sha256, signer, trusted_hosts, packaged_file, packaged_data, packaged_size, max_future_ms, on_event, on_event_user_data, on_event_free_user_data };
        remora_source_info { struct_size, origin, reserved, version, fetched_at_ms, age_ms, last_success_ms, last_attempt_ms, retry_after_ms, generation, last_error, storage_error };
        remora_refresh_options { struct_size, force, reserved };
        remora_snapshot_info { struct_size, origin, verified, version, fetched_at_ms, count };
        remora_subscribe_options { struct_size, replay_current, reserved };
    }
    facts
}

/// A program that prints the facts of everything that the header has.
fn program() -> String {
    let mut lines = String::new();
    for name in header::constants(&header::text()) {
        let format = format!("_Generic({name}, char *: \"%s\", default: \"%d\")");
        writeln!(
            lines,
            "  printf(\"{name} \"); printf({format}, {name}); puts(\"\");"
        )
        .unwrap();
    }
    for (name, fields) in header::structures(&header::text()) {
        writeln!(lines, "  printf(\"{name} %zu\\n\", sizeof({name}));").unwrap();
        for field in fields {
            let offset = format!("offsetof({name}, {field})");
            writeln!(lines, "  printf(\"{name}.{field} %zu\\n\", {offset});").unwrap();
        }
    }
    format!("#include <remora.h>\n#include <stdio.h>\nint main(void) {{\n{lines}}}\n")
}

/// Compiles and runs the program with $CC or cc, which this test needs.
fn of_the_compiler() -> Facts {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program_path) = (directory.join("layout.c"), directory.join("layout"));
    fs::write(&source, program()).unwrap();
    let status = Command::new(&compiler)
        .arg("-std=c11")
        .arg("-w")
        .arg("-I")
        .arg(header::include_directory())
        .arg("-o")
        .args([&program_path, &source])
        .status()
        .unwrap_or_else(|error| panic!("{compiler} does not run: {error}"));
    assert!(status.success());
    let output = Command::new(&program_path).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    output
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(name, fact)| (name.to_string(), fact.to_string()))
        .collect()
}

#[test]
fn sizes_offsets_and_values_are_the_compilers() {
    assert_eq!(ours(), of_the_compiler());
}
