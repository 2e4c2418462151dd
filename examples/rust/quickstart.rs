// SPDX-License-Identifier: Apache-2.0

//! Reads one number of a record: quickstart SERVER_URL COLLECTION KEY POINTER (without signatures).

use std::{env, time::Duration};

use remora::{Client, Trust};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().collect();
    let (server, name, key, pointer) = match arguments.as_slice() {
        [_, server, name, key, pointer] => (server, name, key, pointer),
        _ => return Err("usage: quickstart SERVER_URL COLLECTION KEY POINTER".into()),
    };
    let client = Client::in_memory().server(server).build()?;
    let settings = client.collection(name).trust(Trust::Off).open()?;
    if let Err(error) = settings.refresh(Duration::from_secs(5)) {
        eprintln!("{error}");
    }
    let number = settings.get_int(key, pointer.as_str()).unwrap_or(-1);
    println!("{pointer} = {number}");
    Ok(())
}
