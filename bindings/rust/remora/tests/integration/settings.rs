// SPDX-License-Identifier: Apache-2.0

//! Settings: dictionaries of keys and values.

use std::time::Duration;

use remora::{
    Activation, Cause, Client, ErrorKind, Origin, Outcome, RefreshOptions, Settings,
    SettingsBuilder,
};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{memory_client, reports, tracked, DEADLINE};

/// The settings of the server; nothing is fetched at open.
pub fn settings_of(server: &Server, client: &Client) -> SettingsBuilder {
    client.settings(server.url().as_str()).fetch_at_open(false)
}

fn kind(opened: remora::Result<Settings>) -> ErrorKind {
    opened.unwrap_err().kind()
}

#[test]
fn the_first_fetched_settings_are_live_at_once_and_later_ones_when_the_next_client_opens_them() {
    let (server, directory) = (Server::start(), Directory::new());
    server.answer_with(r#"{"dark": true}"#);
    let (sender, next) = reports();
    let client = Client::builder(&directory).build().unwrap();
    let builder = client.settings(server.url().as_str());
    let source = builder
        .on_event(move |event| sender.send((event.cause(), event.outcome())).unwrap())
        .open()
        .unwrap();
    assert_eq!(next().0, Cause::Opened);
    assert_eq!(next().1, Some(Outcome::Updated));
    assert_eq!(source.get_bool("dark", None), Some(true));
    server.answer_with(r#"{"dark": false}"#);
    let forced = RefreshOptions::default().force(true);
    assert_eq!(source.refresh_with(&forced), Ok(Outcome::Staged));
    assert_eq!(source.get_bool("dark", None), Some(true));
    client.close();

    let client = Client::builder(&directory).build().unwrap();
    let source = settings_of(&server, &client).open().unwrap();
    assert_eq!(source.get_bool("dark", None), Some(false));
    assert_eq!(source.info().unwrap().origin, Origin::Cached);
    assert_eq!(server.requests(), 2);
}

#[test]
fn fetched_settings_are_read_at_once_if_activation_is_immediate() {
    let server = Server::start();
    server.answer_with(r#"{"limit": 3, "name": "n", "more": {"a": 0.5}}"#);
    let builder = settings_of(&server, &memory_client()).activation(Activation::Immediate);
    let source = builder.open().unwrap();
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert_eq!(source.get_int("limit", None), Some(3));
    assert_eq!(source.get_string("name", None).as_deref(), Some("n"));
    assert_eq!(source.get_int("name", None), None);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Unchanged);
    server.answer_with(r#"{"limit": 4}"#);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert_eq!(source.get_int("limit", None), Some(4));
    assert_eq!(source.snapshot().unwrap().len(), 1);
}

#[test]
fn a_value_that_is_read_as_a_url_can_have_any_scheme_but_must_be_a_url() {
    let server = Server::start();
    server.answer_with(
        r#"{"u": "https://h/p", "v": "not a url", "e": "picsart://editor", "f": "http://", "more": {"u": "http://a"}}"#,
    );
    let builder = settings_of(&server, &memory_client()).activation(Activation::Immediate);
    let source = builder.open().unwrap();
    source.refresh(DEADLINE).unwrap();
    let snapshot = source.snapshot().unwrap();
    for (key, pointer, expected) in [
        ("u", None, Some("https://h/p")),
        ("more", Some("/u"), Some("http://a")),
        ("e", None, Some("picsart://editor")),
        ("v", None, None),
        ("f", None, None),
        ("absent", None, None),
        ("u\0", None, None),
    ] {
        assert_eq!(source.get_url(key, pointer).as_deref(), expected);
        assert_eq!(snapshot.get_url(key, pointer).ok(), expected);
    }
    let error = snapshot.get_url("v", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}

#[test]
fn arrays_objects_and_values_of_any_type_have_typed_reads() {
    let server = Server::start();
    server.answer_with(
        r#"{"list": [1, [2]], "dict": {"b": {"c": [3]}, "a": 1}, "null": null, "n": 5}"#,
    );
    let settings = settings_of(&server, &memory_client()).open().unwrap();
    let tag = settings.tag("x", None).unwrap();
    let snapshot = tag.wait(DEADLINE).unwrap();
    for (key, pointer, expected) in [
        ("list", None, Some("[1,[2]]")),
        ("dict", Some("/b/c"), Some("[3]")),
        ("n", None, Some("5")),
        ("null", None, None),
        ("dict", Some("/z"), None),
        ("absent", None, None),
        ("n\0", None, None),
    ] {
        assert_eq!(tag.get_json(key, pointer).as_deref(), expected);
        let found = snapshot.get_value(key, pointer);
        let text = found.and_then(|one| one.to_json());
        assert_eq!(text.ok().as_deref(), expected);
    }
    let first = |key| snapshot.get_array(key, None).ok()?.next()?.as_i64();
    assert_eq!(
        (first("list"), first("dict"), first("n")),
        (Some(1), None, None)
    );
    let name = |key, pointer| Some(snapshot.get_object(key, pointer).ok()?.next()?.0);
    assert_eq!(name("dict", None), Some("a"));
    assert_eq!(name("dict", Some("/b")), Some("c"));
    assert_eq!(name("list", None), None);
    let kind = |key| snapshot.get_array(key, None).unwrap_err().kind();
    assert_eq!(kind("dict"), ErrorKind::WrongType);
    assert_eq!(kind("null"), ErrorKind::NotFound);
    assert_eq!(kind("absent"), ErrorKind::NotFound);
    assert_eq!(
        snapshot.get_object("list", None).unwrap_err().kind(),
        ErrorKind::WrongType
    );
}

#[test]
fn a_long_json_text_is_read_completely_and_a_closed_source_returns_none() {
    let long = format!("[{}]", vec!["1"; 500].join(","));
    let client = memory_client();
    let builder = client.settings("http://127.0.0.1:9/").fetch_at_open(false);
    let data = format!(r#"{{"long": {long}}}"#);
    let source = builder.packaged_data(data).open().unwrap();
    assert_eq!(source.get_json("long", None), Some(long));
    client.close();
    assert_eq!(source.get_json("long", None), None);
}

#[test]
fn parameters_and_the_tag_are_sent_as_query_items() {
    let (server, client) = (Server::start(), memory_client());
    server.answer_with("{}");
    let tagged = || {
        let builder = settings_of(&server, &client).tag("a/b");
        builder.param("user", "u 1&x").param("empty", "")
    };
    let source = tagged().open().unwrap();
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    let head = server.last_head();
    assert!(
        head.contains("?user=u%201%26x&empty=&tag=a%2Fb HTTP"),
        "{head}"
    );
    let source = tagged().tag_item("context").open().unwrap();
    source.refresh(DEADLINE).unwrap();
    let head = server.last_head();
    assert!(head.contains("&context=a%2Fb HTTP"), "{head}");
}

#[test]
fn packaged_settings_are_read_until_settings_are_fetched_from_the_server() {
    let server = Server::start();
    server.answer_with(r#"{"root": {"a": 2}}"#);
    let builder = settings_of(&server, &memory_client()).root_key("root");
    let builder = builder.packaged_data(r#"{"root": {"a": 1}}"#);
    let source = builder.activation(Activation::Immediate).open().unwrap();
    assert_eq!(source.get_int("a", None), Some(1));
    assert_eq!(source.info().unwrap().origin, Origin::Packaged);
    source.refresh(DEADLINE).unwrap();
    assert_eq!(source.get_int("a", None), Some(2));
}

#[test]
fn settings_are_cached_separately_for_each_set_of_parameters_unless_they_are_memory_only() {
    let (server, directory) = (Server::start(), Directory::new());
    server.answer_with(r#"{"a": 1}"#);
    let expected = [
        ("1", false, None),
        ("1", false, Some(1)),
        ("2", false, None),
        ("3", true, None),
        ("3", true, None),
    ];
    for (user, is_memory_only, value) in expected {
        let client = Client::builder(&directory).build().unwrap();
        let builder = settings_of(&server, &client).param("user", user);
        let source = builder.memory_only(is_memory_only).open().unwrap();
        assert_eq!(source.get_int("a", None), value, "{user}");
        source.refresh(DEADLINE).unwrap();
    }
}

#[test]
fn settings_are_not_requested_again_while_the_option_ttl_says_that_they_are_fresh() {
    let (server, client) = (Server::start(), memory_client());
    server.answer_with(r#"{"a": 1}"#);
    let long = Duration::from_secs(1000);
    let lifetimes = [None, Some(long), Some(Duration::MAX), Some(Duration::ZERO)];
    for (index, (lifetime, requests)) in lifetimes.into_iter().zip([1, 2, 3, 6]).enumerate() {
        let builder = settings_of(&server, &client).param("index", index.to_string());
        let source = match lifetime {
            Some(lifetime) => builder.ttl(lifetime).open().unwrap(),
            None => builder.open().unwrap(),
        };
        for _ in 0..3 {
            let _ = source.wait(DEADLINE).unwrap();
        }
        assert_eq!(server.requests(), requests, "{lifetime:?}");
    }
}

#[test]
fn overrides_of_settings_can_be_stored() {
    let (server, directory) = (Server::start(), Directory::new());
    for expected in [None, Some(1)] {
        let client = Client::builder(&directory).build().unwrap();
        let builder = settings_of(&server, &client).persist_overrides(true);
        let source = builder.open().unwrap();
        assert_eq!(source.get_int("a", None), expected);
        source.set_override("a", None, 1).unwrap();
    }
}

#[test]
fn settings_can_be_opened_without_a_url() {
    let builder = memory_client().settings(None).fetch_at_open(false);
    let source = builder.open().unwrap();
    assert_eq!(source.info().unwrap().origin, Origin::Nothing);
}

#[test]
fn an_error_about_an_invalid_option_of_settings_names_the_option() {
    let client = memory_client();
    let open = || client.settings("127.0.0.1:9").fetch_at_open(false);
    for url in ["ftp://example.org/", "http://a\0", "http://a b/"] {
        let builder = client.settings(url).fetch_at_open(false);
        assert_eq!(kind(builder.open()), ErrorKind::InvalidArgument);
    }
    let refused = [
        (open().param("a\0", "b"), "param contains a NUL"),
        (
            open().param("", "b"),
            "param has a parameter with an empty name",
        ),
        (open().root_key(""), "root_key"),
        (open().tag("t\0"), "tag contains a NUL"),
        (open().tag_item("t\0"), "tag_item contains a NUL"),
        (open().packaged_file("f\0"), "packaged_file contains a NUL"),
        (open().tag("t").activation(Activation::Manual), "activation"),
        (
            open().memory_only(true).persist_overrides(true),
            "persist_overrides",
        ),
    ];
    for (builder, named) in refused {
        let error = builder.open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(named), "{error}");
    }
    assert_eq!(kind(open().packaged_data("[,]").open()), ErrorKind::Parse);
    assert_eq!(kind(open().packaged_data("[]").open()), ErrorKind::Format);
    client.clone().close();
    assert_eq!(kind(open().open()), ErrorKind::Closed);
}

#[test]
fn the_on_event_closure_is_dropped_with_its_source_or_if_opening_the_settings_fails() {
    for packaged in ["{}", "[,]"] {
        let (tracked, drops) = tracked();
        let builder = memory_client().settings("127.0.0.1:9").fetch_at_open(false);
        let builder = builder.packaged_data(packaged);
        let opened = builder.on_event(move |_| tracked.hold()).open();
        assert_eq!(opened.is_ok(), packaged == "{}");
        drop(opened);
        drops.wait();
    }
}
