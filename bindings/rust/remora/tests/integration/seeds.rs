// SPDX-License-Identifier: Apache-2.0

//! Seeds: what an installer requests and saves, and what the first opening finds.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use remora::{Client, ClientBuilder, ErrorKind, Method, Origin, Seed, Trust};

use crate::support::files::Directory;

const URL: &str = "http://127.0.0.1:1/x";

/// The program that is installed.
fn host(directory: &Directory) -> ClientBuilder {
    Client::builder(directory.path("storage"))
        .application("A B", "2.0")
        .application_build("7")
        .header("X-Key", "secret")
}

fn saved(directory: &Directory, content: &str) -> PathBuf {
    let file = directory.path("download");
    fs::write(&file, content).unwrap();
    file
}

#[test]
fn an_installers_request_has_a_url_and_a_method_and_its_headers_name_the_application() {
    let directory = Directory::new();
    let seed = Seed::settings(URL).param("user", "x&y").tag("t");
    let request = seed.request(&host(&directory), "post/inst").unwrap();
    let items = "?user=x%26y&tag=t&identifier=post%2Finst&app=A%20B&version=2.0&build=7";
    assert_eq!(request.url, URL.to_owned() + items);
    assert_eq!(request.method, Method::Get);
    assert_eq!(request.headers[0].0, "User-Agent");
    assert!(request.headers[0].1.starts_with("A B/2.0 (7) Remora/"));
    assert_eq!(
        request.headers[1],
        ("X-Key".to_owned(), "secret".to_owned())
    );
    assert!(!format!("{request:?}").contains("secret"));
    let bundle = Seed::bundle(URL).method(Method::Post);
    let request = bundle.request(&host(&directory), None).unwrap();
    assert_eq!((request.url.as_str(), request.method), (URL, Method::Post));
}

#[test]
fn settings_that_an_installer_saved_are_read_at_the_first_opening() {
    let directory = Directory::new();
    let when = UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    let seed = Seed::settings(URL)
        .root_key("inner")
        .tag("t")
        .tag_item("context");
    let file = saved(&directory, r#"{"inner": {"a": 7}}"#);
    seed.save(&host(&directory), &file, when).unwrap();
    assert!(file.exists());

    let client = host(&directory).build().unwrap();
    let settings = |tag| client.settings(URL).tag(tag).tag_item("context");
    let open = |tag| settings(tag).root_key("inner").fetch_at_open(false).open();
    let source = open("t").unwrap();
    assert_eq!(source.get_int("a", None), Some(7));
    let info = source.info().unwrap();
    assert_eq!((info.origin, info.fetched_at), (Origin::Cached, Some(when)));
    assert_eq!(open("other").unwrap().get_int("a", None), None);
}

#[test]
fn an_installer_can_save_the_output_of_remora_dump_for_a_collection() {
    let directory = Directory::new();
    let file = saved(&directory, r#"{"data": [], "timestamp": 1000}"#);
    let seed = Seed::collection("c");
    let error = seed.save(&host(&directory), &file, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignatureMissing);
    seed.trust(Trust::Off)
        .save(&host(&directory), &file, None)
        .unwrap();
    let client = host(&directory).build().unwrap();
    let source = client.collection("c").trust(Trust::Off).open().unwrap();
    assert_eq!(source.info().unwrap().version, 1000);
}

#[test]
fn a_collection_that_an_installer_saved_is_used_only_for_the_same_server_and_bucket() {
    let directory = Directory::new();
    let file = saved(&directory, r#"{"data": [], "timestamp": 1000}"#);
    let seed = Seed::collection("c").trust(Trust::Off).bucket("b");
    seed.server("http://127.0.0.1:1/v2")
        .save(&host(&directory), &file, None)
        .unwrap();
    let client = host(&directory).build().unwrap();
    let version = |server: &str, bucket: &str| {
        let builder = client.collection("c").trust(Trust::Off);
        let source = builder.server(server).bucket(bucket).open().unwrap();
        source.info().unwrap().version
    };
    assert_eq!(version("http://127.0.0.1:1/v2", "main"), 0);
    assert_eq!(version("http://127.0.0.1:2/v2", "b"), 0);
    assert_eq!(version("http://127.0.0.1:1/v2", "b"), 1000);
}

#[test]
fn an_installer_can_save_settings_without_a_url() {
    let directory = Directory::new();
    let seed = Seed::settings(None).param("user", "x");
    let asked = seed.request(&host(&directory), None).unwrap().url;
    assert!(asked.starts_with("https://"), "{asked}");
    let file = saved(&directory, r#"{"a": 7}"#);
    seed.save(&host(&directory), file, None).unwrap();
    let client = host(&directory).build().unwrap();
    let builder = client.settings(None).param("user", "x");
    let source = builder.fetch_at_open(false).open().unwrap();
    assert_eq!(source.get_int("a", None), Some(7));
}

#[test]
fn an_installers_request_has_a_header_twice_if_the_header_is_configured_twice() {
    let host = Client::in_memory()
        .header("X-Key", "a\u{2028}")
        .header("X-Key", "b: c");
    let headers = Seed::settings(URL).request(&host, None).unwrap().headers;
    let pair = |value: &str| ("X-Key".to_owned(), value.to_owned());
    assert_eq!(headers[1..], [pair("a\u{2028}"), pair("b: c")]);
}

#[test]
fn an_error_about_invalid_data_or_an_invalid_request_of_an_installer_has_the_reason() {
    let directory = Directory::new();
    let requests = [
        (
            Seed::settings("ftp://h").request(&host(&directory), None),
            "url",
        ),
        (
            Seed::settings(URL)
                .tag("\0")
                .request(&host(&directory), None),
            "tag",
        ),
        (
            Seed::settings(URL).request(&host(&directory), "\0"),
            "identifier",
        ),
        (Seed::bundle("").request(&host(&directory), None), "url"),
        (
            Seed::collection("c").request(&host(&directory), None),
            "collection has no seed request",
        ),
    ];
    for (request, name) in requests {
        let error = request.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(name), "{error}");
    }
    for (content, kind) in [("", ErrorKind::Parse), ("[]", ErrorKind::Format)] {
        let file = saved(&directory, content);
        let error = Seed::settings(URL)
            .save(&host(&directory), file, None)
            .unwrap_err();
        assert_eq!(error.kind(), kind);
    }
    let missing = directory.path("missing");
    let error = Seed::settings(URL)
        .save(&host(&directory), missing, None)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
}
