// SPDX-License-Identifier: Apache-2.0

//! Bundles: their defaults, versions and documents, and what is refused.

use remora::{Cause, Client, ErrorKind, Method, Origin, Outcome, Source};

use crate::support::bundles::{bundle_of, element, namespaces, publish, source_of, DEFAULT};
use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{memory_client, reports, tracked, DEADLINE};

fn app_id(source: &Source) -> Option<String> {
    source.get_string("app", "/trackerConfiguration/appId")
}

fn kind(opened: remora::Result<Source>) -> ErrorKind {
    opened.unwrap_err().kind()
}

#[test]
fn the_values_of_the_default_bundle_are_read_until_a_bundle_is_fetched() {
    let (sender, next) = reports();
    let builder = memory_client()
        .bundle("127.0.0.1:9")
        .default_bundle(DEFAULT);
    let builder = builder.default_version(3).fetch_at_open(false);
    let source = builder
        .on_event(move |event| {
            let state = (event.cause(), event.origin(), event.version());
            sender.send(state).unwrap();
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
fn a_negative_default_version_is_refused_and_zero_means_the_version_in_the_default_bundle() {
    let bundle = r#"{"configurationVersion": 7, "configurationBundle": []}"#;
    let open = |version| {
        let builder = memory_client().bundle("127.0.0.1:9").default_bundle(bundle);
        builder.default_version(version).fetch_at_open(false).open()
    };
    assert_eq!(open(0).unwrap().info().unwrap().version, 7);
    assert_eq!(kind(open(-1)), ErrorKind::InvalidArgument);
}

#[test]
fn opening_a_bundle_starts_a_refresh_and_fetched_values_take_precedence_over_defaults() {
    let server = Server::start();
    let members = r#", "trackerConfiguration": {"appId": "fetched"}"#;
    publish(&server, 4, &[element("app", members)]);
    let (sender, next) = reports();
    let url = server.url();
    let builder = memory_client().bundle(url.as_str()).default_bundle(DEFAULT);
    let source = builder
        .default_version(3)
        .on_event(move |event| {
            // The event of the last refresh of this test has none, because nothing has changed.
            if let Some(configuration) = event.configuration() {
                assert_eq!(configuration.state, event.origin());
                let state = (event.outcome(), event.origin(), event.new_snapshot());
                sender.send((state, configuration.namespaces)).unwrap();
            }
        })
        .open()
        .unwrap();
    let ((_, origin, _), names) = next();
    assert_eq!(origin, Origin::Default);
    assert_eq!(names, ["app", "other"]);
    let ((outcome, origin, snapshot), names) = next();
    assert_eq!(names, ["app"]);
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
fn a_fetched_bundle_is_not_used_if_its_version_is_not_higher_than_the_default_bundle() {
    let server = Server::start();
    let source = source_of(&server);
    let members = r#", "trackerConfiguration": {"appId": "fetched"}"#;
    publish(&server, 3, &[element("app", members)]);
    assert_eq!(source.refresh(DEADLINE).unwrap(), Outcome::NotNewer);
    assert_eq!(app_id(&source).as_deref(), Some("default"));
}

#[test]
fn a_fetched_bundle_is_cached_for_the_next_client_that_opens_it_under_the_same_name() {
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
fn a_bundle_can_be_requested_with_the_method_post() {
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
fn a_bundle_with_a_schema_that_the_program_configures_is_accepted() {
    let server = Server::start();
    let schema = "https://schemas.example/mine/2-1-0";
    server.answer_with(&bundle_of(schema, 1, &[element("app", "")]));
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
fn a_bundle_without_a_url_sends_no_request() {
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
fn an_invalid_url_default_or_name_of_a_bundle_is_refused() {
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
fn the_on_event_closure_is_dropped_with_its_source_or_if_opening_the_bundle_fails() {
    for default in [DEFAULT, "[,]"] {
        let (tracked, drops) = tracked();
        let builder = memory_client().bundle(None).default_bundle(default);
        let opened = builder.on_event(move |_| tracked.hold()).open();
        assert_eq!(opened.is_ok(), default == DEFAULT);
        drop(opened);
        drops.wait();
    }
}
