// SPDX-License-Identifier: Apache-2.0

//! Attachments that are stored or packaged, and what never is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use remora::{Client, CollectionBuilder, ErrorKind, Family};

use crate::support::files::{Directory, File};
use crate::support::server::Server;
use crate::support::{client_of, collection, kind_of, memory_client, source_of_files};

/// The collection of a client that stores in that directory.
fn stored(server: &Server, storage: &Path) -> CollectionBuilder {
    let client = Client::builder(storage).server(server.url()).build();
    collection(&client.unwrap())
}

#[test]
fn an_attachment_that_one_client_downloaded_is_opened_from_its_file_by_others() {
    let directory = Directory::new();
    let server = Server::start();
    server.publish_files(5, &[File::large()]);
    let storage = directory.path("storage");
    let source = stored(&server, &storage).open().unwrap();
    source.refresh(None).unwrap();
    let first = source.attachment_of("a").open().unwrap();
    drop(source);
    let requests = server.requests();

    let source = stored(&server, &storage).open().unwrap();
    let second = source.attachment_of("a").local_only().open().unwrap();
    let third = source
        .attachment_of("a")
        .timeout(Duration::ZERO)
        .open()
        .unwrap();
    assert_eq!(server.requests(), requests);
    assert!(first[..] == second[..] && second[..] == third[..]);
    let path = second.path().unwrap();
    assert!(path.starts_with(&storage) && first.path() == Some(path));
    assert_eq!(fs::read(path).unwrap(), File::large().bytes);
}

#[test]
fn an_attachment_of_a_client_without_a_storage_directory_has_no_file() {
    let (_server, source) = source_of_files(&[File::text()]);
    assert_eq!(source.attachment_of("a").open().unwrap().path(), None);
}

#[test]
fn an_attachment_that_does_not_match_its_record_is_refused_and_not_stored() {
    let directory = Directory::new();
    let server = Server::start();
    server.publish_files(5, &[File::text()]);
    let source = stored(&server, directory.as_ref()).open().unwrap();
    source.refresh(None).unwrap();
    for forged in [&b"ATTACHED\n"[..], b"attached", b"attached\n\n"] {
        server.replace_bytes(File::text().location, forged);
        let error = source.attachment_of("a").open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AttachmentMismatch, "{error}");
        assert_eq!(error.kind().family(), Family::Trust);
        assert_eq!(error.status_name(), "REMORA_ERR_ATTACHMENT_MISMATCH");
        let kept = source.attachment_of("a").local_only().open();
        assert_eq!(kind_of(kept), ErrorKind::NotFound);
    }
    server.replace_bytes(File::text().location, &File::text().bytes);
    assert_eq!(&*source.attachment_of("a").open().unwrap(), b"attached\n");
}

#[test]
fn a_packaged_attachment_is_opened_from_its_file_if_it_matches_its_record() {
    let directory = Directory::new();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    for (name, bytes) in [("a", &b"attached\n"[..]), ("b", b"not large")] {
        fs::write(directory.path(name), bytes).unwrap();
    }
    let server = Server::start();
    server.publish_files(5, &[File::text(), File::large()]);
    let source = collection(&client_of(&server)).packaged_attachments(directory.as_ref());
    let source = source.open().unwrap();
    source.refresh(None).unwrap();
    let requests = server.requests();
    let packaged = source.attachment_of("a").open().unwrap();
    assert_eq!(packaged.path(), Some(directory.path("a").as_path()));
    assert_eq!(
        (&*packaged, server.requests()),
        (&b"attached\n"[..], requests)
    );
    let fetched = source.attachment_of("b").open().unwrap();
    assert_eq!((fetched.path(), fetched.len()), (None, 1 << 20));

    let nul = collection(&memory_client())
        .packaged_attachments("a\0b")
        .open();
    let error = nul.unwrap_err();
    assert_eq!(error.message(), "packaged_attachments contains a NUL");
}
