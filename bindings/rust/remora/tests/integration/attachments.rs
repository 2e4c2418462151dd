// SPDX-License-Identifier: Apache-2.0

//! Opening attachments: which one is meant, what it is, and why there is none.

use std::thread;
use std::time::Duration;

use remora::{Attachment, ErrorKind};

use crate::support::files::File;
use crate::support::server::Server;
use crate::support::{collection, kind_of, memory_client, packaged_source, source_of_files};

#[test]
fn an_attachment_is_opened_by_its_record_its_id_or_its_location() {
    let (_server, source) = source_of_files(&[File::text(), File::large()]);
    let snapshot = source.snapshot().unwrap();
    let record = snapshot.record("b").unwrap();
    assert_eq!(
        &source.attachment(&record).open().unwrap()[..],
        File::large().bytes
    );
    assert_eq!(&*source.attachment_of("a").open().unwrap(), b"attached\n");
    let location = String::from("things/text");
    let text = source.attachment_at(location).open().unwrap();
    assert_eq!((text.as_ref(), text.len()), (&b"attached\n"[..], 9));
}

#[test]
fn an_attachment_without_bytes_is_an_empty_slice() {
    let (_server, source) = source_of_files(&[File::empty()]);
    let empty = source.attachment_of("a").open().unwrap();
    assert!(empty.is_empty());
}

#[test]
fn a_record_that_was_read_before_an_update_opens_the_old_version_of_its_attachment() {
    let (server, source) = source_of_files(&[File::text()]);
    let old = source.snapshot().unwrap();
    server.publish_files(6, &[File::new_text()]);
    source.refresh(None).unwrap();
    let new = source.attachment_of("a").open().unwrap();
    assert_eq!(&*new, b"attached anew\n");
    let record = old.record("a").unwrap();
    assert_eq!(&*source.attachment(&record).open().unwrap(), b"attached\n");
    let gone = source.attachment_at(File::text().location).open();
    assert_eq!(kind_of(gone), ErrorKind::NotFound);
}

#[test]
fn an_unknown_record_is_distinguished_from_a_record_without_an_attachment() {
    let server = Server::start();
    let source = packaged_source(&["\"n\": 1", &File::text().member()]);
    let sentence = |opened: remora::Result<Attachment>| {
        let error = opened.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        error.message().to_string()
    };
    let none = sentence(source.attachment_of("a").open());
    let missing = sentence(source.attachment_of("z").open());
    assert!(
        none.contains("a") && missing.contains("z") && none != missing,
        "{none}; {missing}"
    );
    assert!(sentence(source.attachment_at("elsewhere").open()).contains("elsewhere"));
    sentence(source.attachment_of("b").local_only().open());
    assert_eq!(server.requests(), 0);
}

#[test]
fn an_error_about_an_id_or_location_with_a_nul_names_it() {
    let source = packaged_source(&["\"n\": 1"]);
    let error = source.attachment_of("a\0").open().unwrap_err();
    assert_eq!(error.message(), "record contains a NUL");
    let error = source.attachment_at("a\0").open_async(|_| ()).unwrap_err();
    assert_eq!(error.message(), "location contains a NUL");
}

#[test]
fn an_attachment_can_be_read_in_any_thread_after_its_source_and_client_were_dropped() {
    fn is_shared<T: Send + Sync + AsRef<[u8]>>() {}
    is_shared::<Attachment>();
    let (server, source) = source_of_files(&[File::text()]);
    let attachment = source.attachment_of("a").open().unwrap();
    drop((server, source));
    let clone = attachment.clone();
    assert_eq!(clone.as_ptr(), attachment.as_ptr());
    drop(attachment);
    let thread = thread::spawn(move || clone.to_vec());
    assert_eq!(thread.join().unwrap(), b"attached\n");
}

#[test]
fn the_debug_text_of_an_attachment_contains_no_bytes() {
    let (_server, source) = source_of_files(&[File::text()]);
    let attachment = source.attachment_of("a").open().unwrap();
    assert_eq!(
        format!("{attachment:?}"),
        "Attachment { len: 9, path: None, .. }"
    );
    assert_eq!(
        format!("{:?}", source.attachment_of("a")),
        "AttachmentRequest { .. }"
    );
}

#[test]
fn an_error_has_the_reason_if_the_server_fails_or_has_no_attachments() {
    let (server, source) = source_of_files(&[File::text()]);
    server.answer_with("{}");
    assert_eq!(kind_of(source.attachment_of("a").open()), ErrorKind::Format);
    server.fail(503, "Retry-After: 3600");
    let error = source.attachment_of("a").open().unwrap_err();
    assert_eq!(
        (error.kind(), error.http_status()),
        (ErrorKind::Http, Some(503))
    );
    let error = source.attachment_of("a").open().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Backoff);
    assert!(error.retry_after().unwrap() > Duration::from_secs(1800));
}

#[test]
fn a_closed_client_opens_no_attachment() {
    let client = memory_client();
    let source = collection(&client).open().unwrap();
    let request = source.attachment_of("a");
    client.close();
    assert_eq!(kind_of(request.open()), ErrorKind::Closed);
    let error = source.attachment_of("a").open_async(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}
