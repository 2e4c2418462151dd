// SPDX-License-Identifier: Apache-2.0

//! What a record says of its attachment, right and wrong.

use remora::{ErrorKind, Source};

use crate::support::packaged_source;

/// Of the empty attachment, in capitals.
const HASH: &str = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";

/// A source whose record "a" says this of its attachment.
fn saying(attachment: &str) -> Source {
    packaged_source(&[&format!("\"attachment\": {attachment}")])
}

/// The text of an attachment of that hash and size, both as JSON.
fn at(location: &str, hash: &str, size: &str) -> String {
    format!("{{\"location\": {location}, \"hash\": {hash}, \"size\": {size}}}")
}

fn hash() -> String {
    format!("\"{HASH}\"")
}

#[test]
fn an_attachment_is_told_whole_or_without_name_and_type() {
    let text = format!(
        "{{\"filename\": \"i.svg\", \"mimetype\": \"image/svg+xml\", \"location\": \"ui/i.v1.svg\", \
         \"hash\": \"{HASH}\", \"size\": 12, \"more\": null}}"
    );
    let snapshot = saying(&text).snapshot().unwrap();
    let record = snapshot.record("a").unwrap();
    let told = record.attachment().unwrap().unwrap();
    assert_eq!(told.filename, Some("i.svg"));
    assert_eq!(told.mimetype, Some("image/svg+xml"));
    assert_eq!((told.location, told.hash), ("ui/i.v1.svg", HASH));
    assert_eq!(told.size, 12);
    assert_eq!(record.fields_json(), "{}");

    let snapshot = saying(&at("\"i\"", &hash(), "0")).snapshot().unwrap();
    let told = snapshot.record("a").unwrap().attachment().unwrap().unwrap();
    assert_eq!((told.filename, told.mimetype, told.size), (None, None, 0));
}

#[test]
fn an_attachment_that_is_null_or_absent_is_none() {
    for record in ["\"attachment\": null", "\"n\": 1"] {
        let snapshot = packaged_source(&[record]).snapshot().unwrap();
        assert_eq!(snapshot.record("a").unwrap().attachment(), Ok(None));
    }
}

#[test]
fn locations_below_the_servers_attachments_are_taken_as_they_are() {
    let names = [
        "a", "a/b", "a//b", "a/b:c", "...", "a/..b", ".a", "%41", "\u{e9} '",
    ];
    for name in names {
        let source = saying(&at(&format!("\"{name}\""), &hash(), "0"));
        let snapshot = source.snapshot().unwrap();
        let record = snapshot.record("a").unwrap();
        assert_eq!(record.attachment().unwrap().unwrap().location, name);
        let opened = source.attachment(&record).local_only().open();
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn an_attachment_that_cannot_be_right_is_refused_by_record_and_member() {
    let located = |location: &str| at(location, &hash(), "1");
    let hashed = |hash: &str| at("\"a\"", hash, "1");
    let sized = |size: &str| at("\"a\"", &hash(), size);
    let object = ("attachment", "is not an object");
    let hash_of = (
        "attachment.hash",
        "is not a SHA-256 of 64 hexadecimal digits",
    );
    let size = ("attachment.size", "is not a number of bytes");
    let location = |problem| ("attachment.location", problem);
    let climbs = location("climbs out of its place");
    let odd = location("has a backslash or a control character");
    let refused = [
        ("3".to_string(), object),
        ("[]".to_string(), object),
        ("{}".to_string(), hash_of),
        (hashed("null"), hash_of),
        (hashed(&hash().replace('E', "")), hash_of),
        (hashed(&hash().replace('E', "g")), hash_of),
        (hashed(&hash().replace('E', "\u{e9}")), hash_of),
        (hashed(&hash().replace('E', "EE")), hash_of),
        (sized("-1"), size),
        (sized("1.0"), size),
        (sized("\"1\""), size),
        (located("7"), location("is not a string")),
        (located("\"\""), location("is empty")),
        (located("\"/etc/passwd\""), location("begins with a slash")),
        (located("\"//host/a\""), location("begins with a slash")),
        (located("\"%2Fa\""), location("begins with a slash")),
        (located("\"https://host/a\""), location("is a whole URL")),
        (located("\"a/../b\""), climbs),
        (located("\"a/./b\""), climbs),
        (located("\"a/..\""), climbs),
        (located("\"a/%2E%2e/b\""), climbs),
        (located("\"a/.%2e\""), climbs),
        (located("\"a%2f..%2Fb\""), climbs),
        (located("\"a\\\\b\""), odd),
        (located("\"a%5cb\""), odd),
        (located("\"a\\u0000b\""), odd),
        (located("\"a%7Fb\""), odd),
        (located("\"a?b\""), location("has a query or a fragment")),
        (located("\"a#b\""), location("has a query or a fragment")),
        (located("\"a%\""), location("has a % that begins no escape")),
        (
            located("\"a%4g\""),
            location("has a % that begins no escape"),
        ),
    ];
    for (text, (member, problem)) in refused {
        let source = saying(&text);
        let snapshot = source.snapshot().unwrap();
        let record = snapshot.record("a").unwrap();
        let error = record.attachment().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{text}");
        let opened = source.attachment(&record).local_only().open();
        assert_eq!(opened.unwrap_err(), error, "the library says the same");
        assert_eq!(error.message(), format!("{member} of record a {problem}"));
    }
}
