// SPDX-License-Identifier: Apache-2.0

//! Bundles: documents of namespaces, with defaults.

use std::sync::{Arc, Mutex};

use remora::{
    Cause, Client, ErrorKind, Method, Origin, Outcome, Source, SubscribeOptions, Subscription,
};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{collection, memory_client, told, tracked, DEADLINE};

const SCHEMA: &str =
    "http://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-0";

const DEFAULT: &str = r#"[
    {"namespace": "app", "networkConfiguration": {"endpoint": "https://app.example"},
     "trackerConfiguration": {"appId": "default", "sessionContext": true}},
    {"namespace": "other", "networkConfiguration": {"endpoint": "https://other.example"}}]"#;

/// An element with a network configuration and further members.
fn element(namespace: &str, members: &str) -> String {
    format!(
        r#"{{"namespace": "{namespace}", "networkConfiguration": {{"endpoint": "https://e.example"}}{members}}}"#
    )
}

fn bundle_of(schema: &str, version: i64, elements: &[String]) -> String {
    let elements = elements.join(",");
    format!(
        r#"{{"$schema": "{schema}", "configurationVersion": {version}, "configurationBundle": [{elements}]}}"#
    )
}

fn publish(server: &Server, version: i64, elements: &[String]) {
    server.say(&bundle_of(SCHEMA, version, elements));
}

/// The bundle of the server, with defaults of version 3; nothing is fetched at open.
fn source_of(server: &Server) -> Source {
    let builder = memory_client()
        .bundle(server.url().as_str())
        .default_bundle(DEFAULT);
    builder
        .default_version(3)
        .fetch_at_open(false)
        .open()
        .unwrap()
}

fn app_id(source: &Source) -> Option<String> {
    source.get_string("app", "/trackerConfiguration/appId")
}

fn namespaces(source: &Source) -> Vec<(String, bool, bool, Origin)> {
    let namespaces = source.namespaces(None).unwrap().into_iter();
    namespaces
        .map(|one| (one.name, one.in_bundle, one.is_default, one.origin))
        .collect()
}

fn kind(opened: remora::Result<Source>) -> ErrorKind {
    opened.unwrap_err().kind()
}

#[test]
fn defaults_are_live_before_anything_was_fetched() {
    let (tell, next) = told();
    let builder = memory_client()
        .bundle("127.0.0.1:9")
        .default_bundle(DEFAULT);
    let builder = builder.default_version(3).fetch_at_open(false);
    let source = builder
        .on_event(move |event| {
            let state = (event.cause(), event.origin(), event.version());
            tell.send(state).unwrap();
        })
        .open()
        .unwrap();
    assert_eq!(next(), (Cause::Opened, Origin::Default, 3));
    assert_eq!(app_id(&source).as_deref(), Some("default"));
    let app = ("app".to_string(), true, true, Origin::Default);
    let other = ("other".to_string(), true, false, Origin::Default);
    assert_eq!(namespaces(&source), [app, other]);
}

#[test]
fn a_default_version_below_one_is_refused_and_zero_is_what_the_default_states() {
    let bundle = r#"{"configurationVersion": 7, "configurationBundle": []}"#;
    let open = |version| {
        let builder = memory_client().bundle("127.0.0.1:9").default_bundle(bundle);
        builder.default_version(version).fetch_at_open(false).open()
    };
    assert_eq!(open(0).unwrap().info().unwrap().version, 7);
    assert_eq!(kind(open(-1)), ErrorKind::InvalidArgument);
}

#[test]
fn opening_begins_a_refresh_and_what_is_fetched_wins() {
    let server = Server::start();
    let members = r#", "trackerConfiguration": {"appId": "fetched"}"#;
    publish(&server, 4, &[element("app", members)]);
    let (tell, next) = told();
    let url = server.url();
    let builder = memory_client().bundle(url.as_str()).default_bundle(DEFAULT);
    let source = builder
        .default_version(3)
        .on_event(move |event| {
            let state = (event.outcome(), event.origin(), event.new_snapshot());
            tell.send(state).unwrap();
        })
        .open()
        .unwrap();
    assert_eq!(next().1, Origin::Default);
    let (outcome, origin, snapshot) = next();
    assert_eq!((outcome, origin), (Some(Outcome::Updated), Origin::Fetched));
    assert_eq!(app_id(&source).as_deref(), Some("fetched"));
    // What the element lacks is inherited.
    let session = source.get_bool("app", "/trackerConfiguration/sessionContext");
    assert_eq!(session, Some(true));
    let names = source.namespaces(&snapshot).unwrap();
    assert!(names[0].in_bundle && names[0].is_default && names[0].name == "app");
    assert!(!names[1].in_bundle && names[1].name == "other");
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Unchanged);
}

#[test]
fn a_closure_finds_the_namespaces_of_its_event() {
    let server = Server::start();
    let (tell, next) = told();
    let url = server.url();
    let builder = memory_client().bundle(url.as_str()).default_bundle(DEFAULT);
    let source = builder
        .fetch_at_open(false)
        .on_event(move |event| {
            let mut names = String::new();
            for one in event.namespaces().unwrap() {
                names += &one.name;
                names += if one.in_bundle { " " } else { "? " };
            }
            tell.send(names).unwrap();
        })
        .open()
        .unwrap();
    assert_eq!(next(), "app other ");
    publish(&server, 1, &[element("b", ""), element("app", "")]);
    source.refresh(DEADLINE).unwrap();
    assert_eq!(next(), "b app other? ");
    let removed = r#"{"namespace": "b"}"#.to_string();
    publish(&server, 2, &[removed, element("c", "")]);
    source.refresh(DEADLINE).unwrap();
    assert_eq!(next(), "c app? other? ");
}

#[test]
fn a_closure_that_drops_its_source_finds_no_namespaces_any_more() {
    let client = memory_client();
    let builder = client.bundle(None).default_bundle(DEFAULT);
    let source = builder.open().unwrap();
    let owner: Arc<Mutex<Option<Subscription>>> = Arc::default();
    let (taken, (tell, next)) = (Arc::clone(&owner), told());
    let replay = SubscribeOptions::default().replay_current(true);
    let mut held = owner.lock().unwrap();
    let subscription = source
        .subscribe_with(None, &replay, move |event| {
            drop(taken.lock().unwrap().take());
            let kind = event.namespaces().map_err(|error| error.kind());
            tell.send(kind.map(|names| names.len())).unwrap();
        })
        .unwrap();
    // The subscription is the last owner of the source.
    drop(source);
    *held = Some(subscription);
    drop(held);
    assert_eq!(next(), Err(ErrorKind::Closed));
}

#[test]
fn a_version_that_is_not_higher_than_the_defaults_is_not_used() {
    let server = Server::start();
    let source = source_of(&server);
    let members = r#", "trackerConfiguration": {"appId": "fetched"}"#;
    publish(&server, 3, &[element("app", members)]);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::NotNewer);
    assert_eq!(app_id(&source).as_deref(), Some("default"));
}

#[test]
fn overrides_survive_a_refresh_and_end_with_the_removal() {
    let server = Server::start();
    let source = source_of(&server);
    let user = "/subjectConfiguration/userId";
    source.set_override("app", user, r#""me""#).unwrap();
    source.set_override("mine", None, r#"{"a": 1}"#).unwrap();
    let theirs = r#", "subjectConfiguration": {"userId": "theirs"}"#;
    publish(&server, 4, &[element("app", theirs), element("other", "")]);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert_eq!(source.get_string("app", user).as_deref(), Some("me"));
    let app = ("app".to_string(), true, true, Origin::Override);
    let other = ("other".to_string(), true, false, Origin::Fetched);
    let mine = ("mine".to_string(), false, false, Origin::Override);
    assert_eq!(namespaces(&source), [app, other.clone(), mine.clone()]);

    publish(
        &server,
        5,
        &[r#"{"namespace": "app"}"#.to_string(), element("other", "")],
    );
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert_eq!(namespaces(&source), [other, mine]);
    let overrides = source.overrides().unwrap();
    assert_eq!(overrides.len(), 1);
    assert_eq!(overrides[0].key, "mine");
}

#[test]
fn the_cache_outlives_the_client_and_belongs_to_the_name() {
    let server = Server::start();
    publish(&server, 7, &[element("app", "")]);
    let (directory, url) = (Directory::new(), server.url());
    let expected = [
        ("a", Origin::Default),
        ("a", Origin::Cached),
        ("b", Origin::Default),
    ];
    for (name, origin) in expected {
        let client = Client::builder(&directory).build().unwrap();
        let builder = client
            .bundle(url.as_str())
            .name(name)
            .default_bundle(DEFAULT);
        let source = builder.fetch_at_open(false).open().unwrap();
        assert_eq!(source.info().unwrap().origin, origin);
        source.refresh(DEADLINE).unwrap();
    }
}

#[test]
fn it_may_be_asked_for_by_post() {
    let server = Server::start();
    publish(&server, 1, &[element("app", "")]);
    let builder = memory_client()
        .bundle(server.url().as_str())
        .method(Method::Post);
    let source = builder.fetch_at_open(false).open().unwrap();
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::Updated);
    assert!(server.last_head().starts_with("POST "));
}

#[test]
fn a_schema_of_the_hosts_own_is_accepted() {
    let server = Server::start();
    let schema = "https://schemas.example/mine/2-1-0";
    server.say(&bundle_of(schema, 1, &[element("app", "")]));
    let (client, url) = (memory_client(), server.url());
    let other = client
        .bundle(url.as_str())
        .fetch_at_open(false)
        .open()
        .unwrap();
    assert_eq!(
        other.refresh(DEADLINE).unwrap_err().kind(),
        ErrorKind::Format
    );
    let own = client
        .bundle(url.as_str())
        .accepted_schema("schemas.example/mine/2");
    let own = own.fetch_at_open(false).open().unwrap();
    assert_eq!(own.refresh(DEADLINE).unwrap(), Outcome::Updated);
}

#[test]
fn without_a_url_nothing_is_fetched() {
    let source = memory_client()
        .bundle(None)
        .default_bundle(DEFAULT)
        .open()
        .unwrap();
    assert_eq!(namespaces(&source).len(), 2);
    let error = source.refresh(DEADLINE).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn what_is_wrong_is_refused() {
    let client = memory_client();
    for url in ["ftp://example.org/", "http://a\0", "http://a b/"] {
        assert_eq!(kind(client.bundle(url).open()), ErrorKind::InvalidArgument);
    }
    let with_default = |json: &str| kind(client.bundle(None).default_bundle(json).open());
    assert_eq!(with_default("[,]"), ErrorKind::Parse);
    assert_eq!(with_default(r#"[{"namespace": 5}]"#), ErrorKind::Format);
    assert_eq!(with_default("[]\0"), ErrorKind::InvalidArgument);
    let nul = client.bundle(None).name("a\0").open().unwrap_err();
    assert_eq!(nul.message(), "name contains a NUL");
}

#[test]
fn a_closure_is_dropped_with_its_source_and_when_opening_fails() {
    for default in [DEFAULT, "[,]"] {
        let (tracked, drops) = tracked();
        let builder = memory_client().bundle(None).default_bundle(default);
        let opened = builder.on_event(move |_| tracked.hold()).open();
        assert_eq!(opened.is_ok(), default == DEFAULT);
        drop(opened);
        drops.wait();
    }
}

#[test]
fn only_a_bundle_that_is_open_has_namespaces() {
    let client = memory_client();
    let other = collection(&client).open().unwrap();
    let error = other.namespaces(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let source = client.bundle(None).default_bundle(DEFAULT).open().unwrap();
    client.clone().close();
    let error = source.namespaces(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(kind(client.bundle(None).open()), ErrorKind::Closed);
}
