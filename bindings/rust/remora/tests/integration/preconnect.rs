// SPDX-License-Identifier: Apache-2.0

//! A connection ahead of time.

use std::time::Duration;

use remora::ErrorKind;

use crate::support::server::Server;

#[test]
fn preconnect_sends_its_request_before_a_client_exists() {
    let server = Server::start();
    let options = remora::preconnect(server.url() + "/hello", "host").platform("test");
    let options = options
        .user_agent("mine")
        .total_timeout(Duration::from_secs(60));
    options.begin().unwrap();
    server.wait_for_requests(1);
    let head = server.last_head();
    assert!(
        head.starts_with("GET /hello?app=host&platform=test "),
        "{head}"
    );
    assert!(
        head.to_lowercase().contains("user-agent: mine\r\n"),
        "{head}"
    );
}

#[test]
fn an_invalid_url_or_application_name_of_preconnect_is_refused() {
    for (url, name) in [
        ("", "host"),
        ("ftp://a", "host"),
        ("http://a", ""),
        ("http://a", "a\0"),
    ] {
        let error = remora::preconnect(url, name).begin().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}
