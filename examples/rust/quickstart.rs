// SPDX-License-Identifier: Apache-2.0

//! Reads one setting by its key: quickstart SERVER_URL COLLECTION KEY (without signatures).

use std::{env, time::Duration};

use remora::{Client, Trust};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().collect();
    let (server, name, key) = match arguments.as_slice() {
        [_, server, name, key] => (server, name, key),
        _ => return Err("usage: quickstart SERVER_URL COLLECTION KEY".into()),
    };
    let client = Client::in_memory().server(server).build()?;
    let settings = client.collection(name).trust(Trust::Off).open()?;
    if let Err(error) = settings.refresh(Duration::from_secs(5)) {
        eprintln!("{error}");
    }
    let modified = settings.get_int(key, "/last_modified").unwrap_or(-1);
    println!("last_modified = {modified}");
    Ok(())
}
