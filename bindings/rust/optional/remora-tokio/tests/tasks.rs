// SPDX-License-Identifier: Apache-2.0

//! Streams and closures in a runtime of one thread.

use std::thread;
use std::time::Duration;

use remora::testing::Server;
use remora::{
    Callbacks, ChangeKind, Client, ClientBuilder, Outcome, RefreshOptions, Source, Trust,
};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_stream::StreamExt;

fn builder(server: &Server) -> ClientBuilder {
    let builder = Client::in_memory().server(server.url());
    builder.transport(server)
}

fn open(client: &Client) -> Source {
    let builder = client.collection("menu").trust(Trust::Off);
    builder.open().unwrap()
}

fn publish(server: &Server, version: i64) {
    let records = format!(r#"[{{"id": "soup", "last_modified": {version}, "price": {version}}}]"#);
    server.publish("menu", version, records);
}

#[tokio::test]
async fn a_stream_merges_unread_changes_and_keeps_the_last_value() {
    let server = Server::new();
    let client = builder(&server).build().unwrap();
    let source = open(&client);
    let mut changes = remora_tokio::changes(&source, None).unwrap();
    for version in 1..=20 {
        publish(&server, version);
        let options = RefreshOptions::default().force(true);
        let outcome = source.refresh_future(&options).await;
        assert_eq!(outcome, Ok(Outcome::Updated));
    }
    drop(source);
    client.close();
    let change = changes.next().await.unwrap();
    assert_eq!(change.kind(), ChangeKind::Created);
    let price = change
        .new_value()
        .and_then(|value| value.member("price")?.as_i64());
    assert_eq!(price, Some(20));
    assert!(changes.next().await.is_none());
}

#[tokio::test]
async fn a_stream_wakes_its_task_for_a_later_change_of_its_key() {
    let server = Server::new();
    let client = builder(&server).build().unwrap();
    let source = open(&client);
    let mut changes = remora_tokio::changes(&source, "soup").unwrap();
    let task = tokio::spawn(async move { changes.next().await.unwrap().key().to_string() });
    tokio::task::yield_now().await; // The task waits now.
    publish(&server, 1);
    let refreshed = source.refresh_future(&RefreshOptions::default()).await;
    assert_eq!(refreshed, Ok(Outcome::Updated));
    assert_eq!(task.await.unwrap(), "soup");
}

#[tokio::test]
async fn dispatch_runs_closures_on_the_thread_of_its_task_until_the_client_is_closed() {
    let server = Server::new();
    publish(&server, 1);
    let builder = builder(&server).callbacks(Callbacks::OnDispatch);
    let client = builder.build().unwrap();
    let source = open(&client);
    let dispatched = client.clone();
    let task = tokio::spawn(async move { remora_tokio::dispatch(&dispatched).await });
    let (sender, mut ran) = tokio::sync::mpsc::unbounded_channel();
    let subscription = source.subscribe(None, move |_| {
        sender.send(thread::current().id()).unwrap();
    });
    let report = client.sync_future(&RefreshOptions::default()).await;
    assert_eq!(report.unwrap().updated, 1);
    assert_eq!(ran.recv().await, Some(thread::current().id()));
    drop((subscription, source));
    client.clone().close();
    task.await.unwrap().unwrap();
    remora_tokio::dispatch(&client).await.unwrap();
}

#[tokio::test]
async fn a_time_limit_of_tokio_cancels_the_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let client = Client::in_memory().server(url).build().unwrap();
    let source = open(&client);
    let refresh = source.refresh_future(&RefreshOptions::default());
    let limited = tokio::time::timeout(Duration::from_millis(50), refresh);
    let (expired, accepted) = tokio::join!(limited, listener.accept());
    assert!(expired.is_err());
    let (mut connection, _) = accepted.unwrap();
    // The client closes the connection, because nothing else waits for its response.
    let mut request = String::new();
    connection.read_to_string(&mut request).await.unwrap();
    assert!(request.starts_with("GET "), "{request}");
}
