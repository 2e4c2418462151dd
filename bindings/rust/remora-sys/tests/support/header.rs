// SPDX-License-Identifier: Apache-2.0

//! Reads remora.h as far as it is written: prototypes, callback types, structures, constants.

use super::{without_spaces, Declarations};

/// Names of the constants that have a value.
pub fn constants(text: &str) -> Vec<String> {
    let defines = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let with_value = defines.filter(|define| define.contains(' '));
    with_value
        .map(|define| define.split(' ').next().unwrap().to_string())
        .collect()
}

/// Functions, callback types, aliases and structures.
pub fn declarations(text: &str) -> Declarations {
    statements(text)
        .iter()
        .map(|statement| declaration(statement))
        .collect()
}

/// Names of the members of each structure that is not opaque.
pub fn structures(text: &str) -> Vec<(String, Vec<String>)> {
    let statements = statements(text);
    let bodies = statements
        .iter()
        .filter_map(|statement| structure(statement));
    bodies
        .map(|(name, fields)| (name, fields.into_iter().map(|(field, _)| field).collect()))
        .collect()
}

/// The text between the semicolons, without comments, preprocessor and line ends.
fn statements(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").unwrap().1;
    }
    plain.push_str(rest);
    let of_c =
        |line: &&str| !line.starts_with('#') && !line.starts_with("extern \"C\"") && *line != "}";
    let plain: Vec<&str> = plain.lines().filter(of_c).collect();
    let mut statements = vec![String::new()];
    let mut depth = 0;
    for character in plain.join(" ").chars() {
        depth += i32::from(character == '{') - i32::from(character == '}');
        match character {
            ';' if depth == 0 => statements.push(String::new()),
            _ => statements.last_mut().unwrap().push(character),
        }
    }
    statements
        .iter()
        .map(|one| one.trim().to_string())
        .filter(|one| !one.is_empty())
        .collect()
}

fn declaration(statement: &str) -> (String, String) {
    if let Some((name, fields)) = structure(statement) {
        let fields: Vec<String> = fields
            .iter()
            .map(|(field, kind)| format!("pub{field}:{kind}"))
            .collect();
        return (name, format!("struct{{{}}}", fields.join(",")));
    }
    if let Some(opaque) = statement.strip_prefix("typedef struct ") {
        return (
            opaque.split(' ').next().unwrap().to_string(),
            "opaque".to_string(),
        );
    }
    if let Some(defined) = statement.strip_prefix("typedef ") {
        return match defined.split_once("(*") {
            Some((result, rest)) => {
                let (name, parameters) = rest.split_once(")(").unwrap();
                let parameters = parameters.strip_suffix(')').unwrap();
                let signature = signature(parameters, result, true);
                (
                    name.to_string(),
                    format!("Option<unsafeextern\"C\"fn{signature}>"),
                )
            }
            None => named(defined),
        };
    }
    let (named_result, parameters) = statement.split_once('(').unwrap();
    let parameters = parameters.strip_suffix(')').unwrap();
    let (name, result) = split_name(named_result);
    (name, format!("fn{}", signature(parameters, &result, true)))
}

fn structure(statement: &str) -> Option<(String, Vec<(String, String)>)> {
    let (name, rest) = statement.strip_prefix("typedef struct ")?.split_once('{')?;
    let (body, _) = rest.rsplit_once('}')?;
    let fields = body
        .split(';')
        .map(str::trim)
        .filter(|field| !field.is_empty());
    Some((name.trim().to_string(), fields.map(named).collect()))
}

/// What follows the name of a function: "(key:*constc_char)->i32".
fn signature(parameters: &str, result: &str, are_named: bool) -> String {
    let result = match result.trim() {
        "void" => String::new(),
        result => format!("->{}", rust_type(result)),
    };
    let parameters: Vec<String> = split_parameters(parameters)
        .iter()
        .map(|parameter| match are_named {
            true => named(parameter),
            false => (String::new(), rust_type(parameter)),
        })
        .map(|(name, kind)| {
            if are_named {
                format!("{name}:{kind}")
            } else {
                kind
            }
        })
        .collect();
    format!("({}){result}", parameters.join(","))
}

/// Splits at the commas outside of parentheses; "void" is none.
fn split_parameters(parameters: &str) -> Vec<String> {
    let mut depth = 0;
    let parts = parameters.split(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth == 0
    });
    let parts = parts.map(|part| part.trim().to_string());
    parts.filter(|part| part != "void").collect()
}

/// The name and type of a parameter or member.
fn named(declarator: &str) -> (String, String) {
    if let Some((result, rest)) = declarator.split_once("(*") {
        let (name, parameters) = rest.split_once(")(").unwrap();
        let signature = signature(
            parameters.trim_end().strip_suffix(')').unwrap(),
            result,
            false,
        );
        return (
            name.to_string(),
            format!("Option<unsafeextern\"C\"fn{signature}>"),
        );
    }
    if let Some((declarator, length)) = declarator.split_once('[') {
        let (name, kind) = named(declarator);
        return (name, format!("[{kind};{}]", length.trim_end_matches(']')));
    }
    let (name, kind) = split_name(declarator);
    (name, rust_type(&kind))
}

/// Splits "const char *key" into "key" and "const char *".
fn split_name(declarator: &str) -> (String, String) {
    let declarator = declarator.trim();
    let is_of_type = |character: char| !character.is_alphanumeric() && character != '_';
    let start = declarator.rfind(is_of_type).unwrap() + 1;
    (
        declarator[start..].to_string(),
        declarator[..start].to_string(),
    )
}

fn rust_type(kind: &str) -> String {
    let spaced = kind.replace('*', " * ");
    let mut words = spaced.split_whitespace().peekable();
    let mut is_const = words.next_if_eq(&"const").is_some();
    let mut result = match words.next().unwrap() {
        "int32_t" => "i32",
        "int64_t" => "i64",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        "size_t" => "usize",
        "double" => "f64",
        "char" => "c_char",
        "void" => "c_void",
        name => name,
    }
    .to_string();
    while let Some(word) = words.next() {
        assert_eq!(word, "*", "{kind}");
        result = format!("*{}{result}", if is_const { "const" } else { "mut" });
        is_const = words.next_if_eq(&"const").is_some();
    }
    without_spaces(&result)
}
