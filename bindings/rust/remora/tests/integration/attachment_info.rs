// SPDX-License-Identifier: Apache-2.0

//! A record's description of its attachment, right and wrong.

use remora::{ErrorKind, Source};

use crate::support::packaged_source;

/// Of the empty attachment, in capitals.
const HASH: &str = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";

/// A source whose record "a" has this member "attachment".
fn describing(attachment: &str) -> Source {
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
fn in_the_info_of_an_attachment_only_the_file_name_and_the_mime_type_can_be_missing() {
    let text = format!(
        "{{\"filename\": \"i.svg\", \"mimetype\": \"image/svg+xml\", \"location\": \"ui/i.v1.svg\", \
         \"hash\": \"{HASH}\", \"size\": 12, \"more\": null}}"
    );
    let snapshot = describing(&text).snapshot().unwrap();
    let record = snapshot.record("a").unwrap();
    let info = record.attachment().unwrap().unwrap();
    assert_eq!(info.filename, Some("i.svg"));
    assert_eq!(info.mimetype, Some("image/svg+xml"));
    assert_eq!((info.location, info.hash), ("ui/i.v1.svg", HASH));
    assert_eq!(info.size, 12);
    assert_eq!(record.fields_json().unwrap(), "{}");

    let snapshot = describing(&at("\"i\"", &hash(), "0")).snapshot().unwrap();
    let info = snapshot.record("a").unwrap().attachment().unwrap().unwrap();
    assert_eq!((info.filename, info.mimetype, info.size), (None, None, 0));
}

#[test]
fn a_record_with_a_null_or_absent_attachment_has_no_attachment() {
    for record in ["\"attachment\": null", "\"n\": 1"] {
        let snapshot = packaged_source(&[record]).snapshot().unwrap();
        assert_eq!(snapshot.record("a").unwrap().attachment(), Ok(None));
    }
}

#[test]
fn a_valid_location_of_an_attachment_is_returned_unchanged() {
    let names = [
        "a", "a/b", "a//b", "a/b:c", "...", "a/..b", ".a", "%41", "\u{e9} '",
    ];
    for name in names {
        let source = describing(&at(&format!("\"{name}\""), &hash(), "0"));
        let snapshot = source.snapshot().unwrap();
        let record = snapshot.record("a").unwrap();
        assert_eq!(record.attachment().unwrap().unwrap().location, name);
        let opened = source.attachment(&record).local_only().open();
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[test]
fn an_error_about_an_invalid_attachment_member_has_the_message_of_the_library() {
    let hashed = |hash: &str| at("\"a\"", hash, "1");
    let sized = |size: &str| at("\"a\"", &hash(), size);
    let object = ("attachment", "is not an object");
    let hash_of = (
        "attachment.hash",
        "is not a SHA-256 of 64 hexadecimal digits",
    );
    let size = ("attachment.size", "is not a number of bytes");
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
        (
            at("7", &hash(), "1"),
            ("attachment.location", "is not a string"),
        ),
    ];
    for (text, (member, problem)) in refused {
        let source = describing(&text);
        let snapshot = source.snapshot().unwrap();
        let record = snapshot.record("a").unwrap();
        let error = record.attachment().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{text}");
        let opened = source.attachment(&record).local_only().open();
        let its_own = opened.unwrap_err();
        assert_eq!(
            (its_own.kind(), its_own.message()),
            (error.kind(), error.message())
        );
        assert_eq!(error.message(), format!("{member} of record a {problem}"));
    }
}

#[test]
fn opening_an_attachment_whose_location_is_not_a_plain_relative_path_fails() {
    for (location, problem) in [
        ("a/../b", "contains a segment that is \".\" or \"..\""),
        ("https://host/a", "begins with a URL scheme"),
        ("a?b", "has a query or a fragment"),
    ] {
        let source = describing(&at(&format!("\"{location}\""), &hash(), "1"));
        let snapshot = source.snapshot().unwrap();
        let record = snapshot.record("a").unwrap();
        assert_eq!(record.attachment().unwrap().unwrap().location, location);
        let error = source.attachment(&record).local_only().open().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        let sentence = format!("attachment.location of record a {problem}");
        assert_eq!(error.message(), sentence);
    }
}
