// SPDX-License-Identifier: Apache-2.0

//! Attachments that are opened in the background.

use std::sync::mpsc::channel;

use remora::{Callbacks, Client, ErrorKind};

use crate::dispatch::wait_until_readable;
use crate::support::files::File;
use crate::support::server::Server;
use crate::support::{client_of, collection, memory_client, reports, source_of_files, tracked};

#[test]
fn an_asynchronous_opening_passes_the_attachment_once_and_drops_its_closures() {
    let (_server, source) = source_of_files(&[File::text(), File::large()]);
    let (guard, drops) = tracked();
    let (progress_guard, progress_drops) = tracked();
    let (report_progress, progress) = channel();
    let (sender, result) = reports();
    let opening = source
        .attachment_of("b")
        .on_progress(move |received, total| {
            progress_guard.hold();
            report_progress.send((received, total)).unwrap();
        });
    let request = opening.open_async(move |result| {
        guard.hold();
        sender.send(result).unwrap();
    });
    let attachment = result().unwrap();
    assert_eq!(&attachment[..], File::large().bytes);
    let bytes = attachment.len() as u64;
    assert_eq!(progress.try_iter().last(), Some((bytes, bytes)));
    drops.wait();
    progress_drops.wait();
    drop(request.unwrap());
    assert!(drops.are_none() && progress_drops.are_none());
}

#[test]
fn a_download_error_is_passed_to_the_closure_and_a_missing_record_is_returned_as_an_error() {
    let (server, source) = source_of_files(&[File::text(), File::large()]);
    server.replace_bytes(File::text().location, b"forged");
    let (sender, result) = reports();
    let request = source
        .attachment_of("a")
        .open_async(move |result| sender.send(result).unwrap());
    assert_eq!(result().unwrap_err().kind(), ErrorKind::AttachmentMismatch);
    drop(request);

    let (guard, drops) = tracked();
    let (progress_guard, progress_drops) = tracked();
    let error = source
        .attachment_of("z")
        .on_progress(move |_, _| progress_guard.hold())
        .open_async(move |_| guard.hold())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    drops.wait();
    progress_drops.wait();
}

#[test]
fn a_cancelled_opening_of_an_attachment_completes_with_the_error_cancelled() {
    let (server, source) = source_of_files(&[File::text(), File::large()]);
    let requests = server.requests();
    server.stall(true);
    let (sender, result) = reports();
    let request = source
        .attachment_of("a")
        .open_async(move |result| sender.send(result).unwrap());
    let request = request.unwrap();
    server.wait_for_requests(requests + 1);
    request.cancel();
    assert_eq!(result().unwrap_err().kind(), ErrorKind::Cancelled);
    request.cancel();
    server.stall(false);
    assert_eq!(source.attachment_of("a").open().unwrap().len(), 9);
}

#[test]
fn a_request_for_an_attachment_keeps_its_source_alive() {
    let (server, source) = source_of_files(&[File::text(), File::large()]);
    let requests = server.requests();
    server.stall(true);
    let (sender, result) = reports();
    let request = source
        .attachment_of("a")
        .open_async(move |result| sender.send(result).unwrap());
    server.wait_for_requests(requests + 1);
    drop(source);
    server.stall(false);
    assert_eq!(result().unwrap().len(), 9);
    drop(request);
}

#[test]
fn closing_the_client_drops_the_closures_of_an_attachment_opening_without_calling_them() {
    let server = Server::start();
    server.publish_files(5, &[File::text()]);
    let client = client_of(&server);
    let source = collection(&client).open().unwrap();
    source.refresh(None).unwrap();
    server.stall(true);
    let (guard, drops) = tracked();
    let (progress_guard, progress_drops) = tracked();
    let request = source
        .attachment_of("a")
        .on_progress(move |_, _| {
            progress_guard.hold();
            unreachable!("the client is closed");
        })
        .open_async(move |_| {
            guard.hold();
            unreachable!("the client is closed");
        });
    server.wait_for_requests(2);
    assert!(drops.are_none() && progress_drops.are_none());
    client.close();
    drops.wait();
    progress_drops.wait();
    drop(request);
    assert!(drops.are_none() && progress_drops.are_none());
}

#[test]
fn the_closure_of_an_attachment_opening_that_cannot_start_is_dropped_once() {
    let client = memory_client();
    let source = collection(&client).open().unwrap();
    client.close();
    let (guard, drops) = tracked();
    let refused = source.attachment_of("a").open_async(move |_| guard.hold());
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Closed);
    drops.wait();
    assert!(drops.are_none());
}

#[test]
fn a_panic_in_a_closure_of_an_attachment_opening_is_caught() {
    let (_server, source) = source_of_files(&[File::text(), File::large()]);
    let (guard, drops) = tracked();
    let (progress_guard, progress_drops) = tracked();
    let request = source
        .attachment_of("b")
        .on_progress(move |_, _| {
            progress_guard.hold();
            panic!("in a closure for progress");
        })
        .open_async(move |result| {
            guard.hold();
            panic!("in the closure of an opening: {result:?}");
        });
    drops.wait();
    progress_drops.wait();
    assert_eq!(source.attachment_of("a").open().unwrap().len(), 9);
    drop(request);
}

#[test]
fn with_manual_dispatch_the_closures_of_an_attachment_opening_run_inside_dispatch() {
    let server = Server::start();
    server.publish_files(5, &[File::text()]);
    let client = Client::in_memory()
        .server(server.url())
        .callbacks(Callbacks::OnDispatch);
    let client = client.build().unwrap();
    let source = collection(&client).open().unwrap();
    source.refresh(None).unwrap();
    let here = std::thread::current().id();
    let (sender, received) = channel();
    let progress = sender.clone();
    let request = source
        .attachment_of("a")
        .on_progress(move |received, _| {
            assert_eq!(std::thread::current().id(), here);
            progress.send(Err(received)).unwrap();
        })
        .open_async(move |result| {
            assert_eq!(std::thread::current().id(), here);
            sender.send(Ok(result.unwrap().len())).unwrap();
        });
    let mut all = Vec::new();
    while all.last() != Some(&Ok(9)) {
        wait_until_readable(client.fd().unwrap());
        client.dispatch().unwrap();
        all.extend(received.try_iter());
    }
    assert_eq!(all[all.len() - 2..], [Err(9), Ok(9)]);
    drop(request);
}
