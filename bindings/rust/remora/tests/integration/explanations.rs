// SPDX-License-Identifier: Apache-2.0

//! Why a read returns its value.

use remora::ErrorKind;

use crate::support::packaged_source;

#[test]
fn an_explanation_names_the_layers_of_a_value_as_json_and_as_lines_for_people() {
    let source = packaged_source(&[r#""n": 1"#]);
    source.set_override("a", "/n", 2).unwrap();
    let found = source.explain("a", "/n").unwrap();
    assert!(found.json().starts_with(
        r#"{"key":"a","layers":[{"layer":"override","reason":null,"value":2,"wins":true}"#
    ));
    assert!(
        found
            .json()
            .contains(r#"{"fetched_at_ms":0,"layer":"packaged""#),
        "{}",
        found.json()
    );
    assert!(found
        .json()
        .ends_with(r#""pointer":"/n","reason":null,"type":"int","value":2}"#));
    let screen = found.to_string();
    assert!(screen.starts_with("a /n: 2\n"), "{screen}");
    assert!(screen.contains("* override     2\n"), "{screen}");
}

#[test]
fn an_explanation_has_the_reason_that_there_is_no_value() {
    let source = packaged_source(&[r#""n": 1"#]);
    let found = source.explain("none", None).unwrap();
    assert!(found
        .json()
        .contains(r#""reason":"the key does not exist""#));
    let error = source.explain("a", "n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let error = source.explain("a\0", None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
