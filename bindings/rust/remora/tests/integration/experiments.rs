// SPDX-License-Identifier: Apache-2.0

//! A/B experiments of settings.

use remora::{Client, Source};

use crate::support::files::Directory;
use crate::support::server::Server;
use crate::support::{memory_client, reports, DEADLINE};

const PAINT: &str = r#"{"experiments": [
    {"name": "paint", "variant": "v1", "trackable": 1, "settings": ["brush", "canvas"]},
    {"name": "save"}, {"variant": "nameless"}, 7]}"#;

fn names(source: &Source) -> Vec<String> {
    let experiments = source.experiments().unwrap();
    experiments.into_iter().map(|one| one.name).collect()
}

#[test]
fn experiments_are_listed_in_order_with_their_variants_and_settings() {
    let server = Server::start();
    server.answer_with(PAINT);
    let client = memory_client();
    let builder = client.settings(server.url().as_str()).tag("x");
    let source = builder.fetch_at_open(false).open().unwrap();
    assert!(names(&source).is_empty());
    source.refresh(DEADLINE).unwrap();
    let snapshot = source.snapshot().unwrap();
    client.close();
    assert!(source.experiments().is_err());
    let experiments = snapshot.experiments();
    assert_eq!(experiments.len(), 2);
    assert_eq!(experiments[0].name, "paint");
    assert_eq!(experiments[0].variant, "v1");
    assert_eq!(experiments[0].trackable, 1.0);
    assert_eq!(experiments[0].settings, ["brush", "canvas"]);
    assert_eq!(
        (&*experiments[1].name, &*experiments[1].variant),
        ("save", "")
    );
    assert!(experiments[1].settings.is_empty());
}

#[test]
fn an_experiment_is_found_by_its_name() {
    let client = memory_client();
    let data =
        r#"{"experiments": {"paint": {"variant": "v2", "trackable": 0.5, "settings": ["brush"]}}}"#;
    let builder = client.settings("http://127.0.0.1:9/");
    let source = builder.packaged_data(data).fetch_at_open(false);
    let source = source.open().unwrap();
    let paint = source.experiment("paint").unwrap();
    assert_eq!((&*paint.name, &*paint.variant), ("paint", "v2"));
    assert_eq!(
        (paint.trackable, paint.settings),
        (0.5, vec!["brush".to_string()])
    );
    for name in ["other", "", "paint\0"] {
        assert_eq!(source.experiment(name), None);
    }
    let snapshot = source.snapshot().unwrap();
    client.close();
    assert_eq!(source.experiment("paint"), None);
    assert_eq!(
        snapshot.experiment("paint"),
        Some(snapshot.experiments()[0].clone())
    );
}

#[test]
fn an_experiment_in_fetched_settings_is_reported_once() {
    let (server, directory) = (Server::start(), Directory::new());
    server.answer_with(PAINT);
    for expected in [[0, 2], [0, 0], [0, 0]] {
        let (sender, next) = reports();
        let client = Client::builder(&directory).build().unwrap();
        let builder = client.settings(server.url().as_str());
        let source = builder
            .fetch_at_open(false)
            .activation(remora::Activation::Immediate)
            .on_event(move |event| sender.send(event.new_experiments().len()).unwrap())
            .open()
            .unwrap();
        // Its event is delivered while the files are still locked; waiting for the event releases
        // them.
        source.refresh(DEADLINE).unwrap();
        assert_eq!([next(), next()], expected);
        drop(source);
        client.close();
    }
}
