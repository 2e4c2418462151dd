// SPDX-License-Identifier: Apache-2.0

//! Log lines of a client, in a logger that keeps its records.

use std::sync::Mutex;
use std::time::Duration;

use log::{Level, LevelFilter, Log, Metadata, Record};
use remora::{Callbacks, Client, LogLevel, Trust};

/// Target, level and message.
type Kept = (String, Level, String);

struct Keeper(Mutex<Vec<Kept>>);

static KEEPER: Keeper = Keeper(Mutex::new(Vec::new()));

impl Log for Keeper {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let message = record.args().to_string();
        let kept = (record.target().to_string(), record.level(), message);
        self.0.lock().unwrap().push(kept);
    }

    fn flush(&self) {}
}

fn records() -> Vec<Kept> {
    std::mem::take(&mut KEEPER.0.lock().unwrap())
}

#[test]
fn a_log_line_has_the_target_remora_and_the_level_that_corresponds_to_its_log_level() {
    log::set_logger(&KEEPER).unwrap();
    log::set_max_level(LevelFilter::Debug);

    for (level, expected) in [
        (LogLevel::Error, Level::Error),
        (LogLevel::Warning, Level::Warn),
        (LogLevel::Info, Level::Info),
        (LogLevel::Debug, Level::Debug),
    ] {
        remora_log::write(level, "{} is not a placeholder");
        let kept = (
            "remora".to_string(),
            expected,
            "{} is not a placeholder".to_string(),
        );
        assert_eq!(records(), [kept]);
    }

    // Nothing listens on this port, so that the refresh fails and is logged.
    let client = Client::in_memory()
        .server("http://127.0.0.1:1")
        .callbacks(Callbacks::OnDispatch)
        .log(LogLevel::Debug, remora_log::write)
        .build()
        .unwrap();
    let source = client.collection("menu").trust(Trust::Off).open().unwrap();
    source.refresh(Duration::from_secs(60)).unwrap_err();
    client.dispatch().unwrap();
    let received = records();
    let failure = received.iter().find(|(target, level, line)| {
        target == remora_log::TARGET && *level <= Level::Warn && line.contains("menu")
    });
    assert!(failure.is_some(), "{received:?}");
}
