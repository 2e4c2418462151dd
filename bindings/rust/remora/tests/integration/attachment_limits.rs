// SPDX-License-Identifier: Apache-2.0

//! How large an attachment may be, how long it may take, and how far it is.

use std::thread;
use std::time::Duration;

use remora::ErrorKind;

use crate::support::files::File;
use crate::support::{kind_of, packaged_source, source_of_files};

#[test]
fn an_attachment_larger_than_max_bytes_is_refused_without_a_request() {
    let (server, source) = source_of_files(&[File::text()]);
    let requests = server.requests();
    for limit in [0, 8] {
        let error = source
            .attachment_of("a")
            .max_bytes(limit)
            .open()
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        let refused = source
            .attachment_of("a")
            .max_bytes(limit)
            .open_async(|_| ());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::TooLarge);
    }
    assert_eq!(server.requests(), requests);
    for limit in [Some(9), Some(u64::MAX), None] {
        let opened = source.attachment_of("a").max_bytes(limit).open();
        assert_eq!(opened.unwrap().len(), 9);
    }
}

#[test]
fn an_attachment_larger_than_the_default_size_limit_is_opened_if_the_limit_is_off() {
    let huge = File::text()
        .member()
        .replace("\"size\": 9", "\"size\": 67108865");
    let source = packaged_source(&[&huge]);
    assert_eq!(
        kind_of(source.attachment_of("a").open()),
        ErrorKind::TooLarge
    );
    let local = source.attachment_of("a").max_bytes(None).local_only();
    assert_eq!(kind_of(local.open()), ErrorKind::NotFound);
}

#[test]
fn opening_an_attachment_fails_at_its_timeout_and_with_timeout_zero_sends_no_request() {
    let (server, source) = source_of_files(&[File::text()]);
    let requests = server.requests();
    let opened = source.attachment_of("a").timeout(Duration::ZERO).open();
    assert_eq!(kind_of(opened), ErrorKind::Timeout);
    assert_eq!(server.requests(), requests);
    server.stall(true);
    let opened = source
        .attachment_of("a")
        .timeout(Duration::from_millis(1))
        .open();
    assert_eq!(kind_of(opened), ErrorKind::Timeout);
    server.stall(false);
    source.attachment_of("a").timeout(None).open().unwrap();
}

#[test]
fn the_progress_of_a_download_is_reported_on_the_thread_that_opens_the_attachment() {
    let (_server, source) = source_of_files(&[File::large()]);
    let here = thread::current().id();
    let mut progress = Vec::new();
    let request = source.attachment_of("a").on_progress(|received, total| {
        assert_eq!(thread::current().id(), here);
        progress.push((received, total));
    });
    let bytes = request.open().unwrap().len() as u64;
    assert_eq!(progress.last(), Some(&(bytes, bytes)));
    let is_sorted = progress.windows(2).all(|pair| pair[0].0 <= pair[1].0);
    assert!(is_sorted && progress.len() <= 102, "{progress:?}");
}

#[test]
fn a_progress_closure_that_panics_is_not_called_again_and_the_attachment_is_opened() {
    let (_server, source) = source_of_files(&[File::large()]);
    let mut count = 0;
    let request = source.attachment_of("a").on_progress(|_, _| {
        count += 1;
        panic!("in a closure for progress");
    });
    assert_eq!(request.open().unwrap().len(), 1 << 20);
    assert_eq!(count, 1);
}
