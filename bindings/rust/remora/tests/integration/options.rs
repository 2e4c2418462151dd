// SPDX-License-Identifier: Apache-2.0

//! What clients and collections are made from.

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use remora::{
    Client, ClientBuilder, CollectionBuilder, ErrorKind, LogLevel, Origin, Source, Trust,
};

use crate::support::server::Server;
use crate::support::{collection, memory_client, packaged, reports, DEADLINE};

type SetText = fn(ClientBuilder, &str) -> ClientBuilder;
type Read = fn(&Source) -> Option<String>;

fn refused(builder: ClientBuilder) -> remora::Error {
    builder.build().unwrap_err()
}

#[test]
fn an_error_about_an_option_with_a_nul_names_the_option() {
    let nul = "a\0b";
    let texts: [(&str, SetText); 8] = [
        ("application name", |builder, nul| {
            builder.application(nul, "1")
        }),
        ("application version", |builder, nul| {
            builder.application("a", nul)
        }),
        ("application build", |builder, nul| {
            builder.application_build(nul)
        }),
        ("server", |builder, nul| builder.server(nul)),
        ("bucket", |builder, nul| builder.bucket(nul)),
        ("proxy", |builder, nul| builder.proxy(nul)),
        ("ca_file", |builder, nul| builder.ca_file(nul)),
        ("header", |builder, nul| builder.header("X-Host", nul)),
    ];
    for (name, set) in texts {
        let error = refused(set(Client::in_memory(), nul));
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.message(), format!("{name} contains a NUL"));
    }
    assert_eq!(
        refused(Client::builder(nul)).message(),
        "storage_dir contains a NUL"
    );
    let error = collection(&memory_client())
        .signer(nul)
        .open()
        .err()
        .unwrap();
    assert_eq!(error.message(), "signer contains a NUL");
}

#[test]
fn a_malformed_option_is_an_invalid_argument_with_an_explanation() {
    let error = refused(Client::in_memory().server("ftp://example.org"));
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("server"), "{error}");
    let client = memory_client();
    let malformed: [fn(CollectionBuilder) -> CollectionBuilder; 4] = [
        |builder| builder.trust(Trust::Required).root_sha256("short"),
        |builder| builder.previous_root("a".repeat(64)).previous_root("short"),
        |builder| builder.bucket("a/b"),
        |builder| builder.packaged_data("{").packaged_file("also"),
    ];
    for set in malformed {
        let error = set(collection(&client)).open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
}

#[test]
fn a_storage_directory_that_is_a_file_is_refused() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert_eq!(refused(Client::builder(file)).kind(), ErrorKind::Storage);
}

#[test]
fn requests_have_the_headers_application_and_bucket_of_the_options() {
    let server = Server::start();
    let client = Client::in_memory()
        .server(server.url())
        .application("host", "1.2")
        .application_build("x7")
        .header("X-Host", "yes")
        .bucket("other")
        .connect_timeout(Duration::from_secs(30))
        .stall_timeout(None)
        .total_timeout(Duration::from_secs(60))
        .max_body_bytes(1000)
        .build()
        .unwrap();
    collection(&client).open().unwrap().refresh(None).unwrap();
    let head = server.last_head();
    assert!(
        head.starts_with("GET /v2/buckets/other/collections/things/changeset?"),
        "{head}"
    );
    assert!(head.contains("\r\nX-Host: yes\r\n"), "{head}");
    assert!(head.contains("host/1.2 (x7)"), "{head}");
}

#[test]
fn max_body_bytes_and_total_timeout_limit_a_refresh() {
    let server = Server::start();
    server.publish(5, format!("[{}]", " ".repeat(2000)));
    let client = Client::in_memory()
        .server(server.url())
        .max_body_bytes(1000)
        .build()
        .unwrap();
    let error = collection(&client)
        .open()
        .unwrap()
        .refresh(None)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    server.stall(true);
    let client = Client::in_memory()
        .server(server.url())
        .total_timeout(Duration::from_millis(1));
    let source = collection(&client.build().unwrap()).open().unwrap();
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Network);
}

#[test]
fn a_collection_can_be_fetched_from_another_server_than_that_of_the_client() {
    let server = Server::start();
    let source = collection(&memory_client())
        .server(server.url())
        .bucket("b")
        .open()
        .unwrap();
    source.refresh(None).unwrap();
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_timestamp_far_in_the_future_is_refused_unless_the_limit_is_off() {
    let server = Server::start();
    let client = Client::in_memory().server(server.url()).build().unwrap();
    server.publish(i64::MAX / 2, "[]");
    let source = client.collection("a").trust(Trust::Off).open().unwrap();
    assert_eq!(source.refresh(None).unwrap_err().kind(), ErrorKind::Future);
    let source = client
        .collection("b")
        .trust(Trust::Off)
        .max_future(None)
        .open()
        .unwrap();
    source.refresh(None).unwrap();
}

#[test]
fn packaged_data_is_read_from_bytes_or_from_a_file() {
    let client = memory_client();
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("packaged-{}.json", std::process::id()));
    std::fs::write(&file, packaged(2, &["\"n\": 2"])).unwrap();
    let source = client
        .collection("file")
        .packaged_file(&file)
        .open()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(source.get_int("a", "/n"), Some(2));
    assert_eq!(source.info().unwrap().origin, Origin::Packaged);
    let missing = client
        .collection("missing")
        .packaged_file(&file)
        .open()
        .err()
        .unwrap();
    assert_eq!(missing.kind(), ErrorKind::Storage);
    let kind = |bytes: &[u8]| {
        client
            .collection("bytes")
            .packaged_data(bytes)
            .open()
            .err()
            .unwrap()
            .kind()
    };
    assert_eq!(kind(b"{"), ErrorKind::Parse);
    assert_eq!(kind(b"[]"), ErrorKind::Format);
}

#[test]
fn unsigned_data_is_refused_where_trust_is_required() {
    let server = Server::start();
    let client = Client::in_memory().server(server.url()).build().unwrap();
    let error = client
        .collection("things")
        .open()
        .unwrap()
        .refresh(None)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignatureMissing);
    assert_eq!(error.kind().family(), remora::Family::Trust);
}

#[test]
fn log_lines_are_passed_to_the_closure_with_their_level() {
    let server = Server::start();
    server.fail(500, "");
    let (sender, line) = reports();
    let client = Client::in_memory()
        .server(server.url())
        .log(LogLevel::Debug, move |level, line| {
            sender.send((level, line.to_string())).unwrap()
        })
        .build()
        .unwrap();
    collection(&client)
        .open()
        .unwrap()
        .refresh(None)
        .unwrap_err();
    let (level, line) = line();
    assert!(level <= LogLevel::Debug && !line.is_empty());
}

#[test]
fn a_read_of_a_value_of_another_type_logs_its_key_at_debug_level() {
    let (sender, lines) = channel();
    let client = Client::in_memory()
        .log(LogLevel::Debug, move |_, line| {
            sender.send(line.to_string()).unwrap()
        })
        .build()
        .unwrap();
    let source = collection(&client)
        .packaged_data(packaged(1, &["\"n\": 1"]))
        .open()
        .unwrap();
    let reads: [(&str, Read); 2] = [
        ("a string", |source| source.get_string("a", "/n")),
        ("a URL", |source| source.get_url("a", "/n")),
    ];
    for (wanted, read) in reads {
        // A read never waits, so that it writes no line while another test's thread holds the
        // library's lock: then the next such read writes it.
        let end = Instant::now() + DEADLINE;
        let found = loop {
            assert_eq!(read(&source), None);
            let mut received = lines.try_iter();
            if let Some(line) = received.find(|line| line.contains("returned its default")) {
                break line;
            }
            assert!(Instant::now() < end, "no line for {wanted}");
            thread::yield_now();
        };
        assert!(
            found.contains("key \"a\" at \"/n\"") && found.contains(wanted),
            "{found}"
        );
    }
    assert_eq!(source.get_string("a", "/n"), None);
    client.close();
    let more: Vec<String> = lines.iter().collect();
    assert!(
        !more.iter().any(|line| line.contains("default")),
        "{more:?}"
    );
}

#[test]
fn the_debug_text_of_a_builder_or_handle_contains_no_option() {
    let builder = Client::in_memory()
        .header("Authorization", "secret")
        .proxy("http://secret@host");
    assert!(!format!("{builder:?}").contains("secret"));
    let client = builder.build().unwrap();
    let source = collection(&client).open().unwrap();
    assert_eq!(
        format!("{client:?} {source:?}"),
        "Client { .. } Source { .. }"
    );
}
