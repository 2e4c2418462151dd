// SPDX-License-Identifier: Apache-2.0

//! A server in memory and a clock, for tests of programs that use Remora.
//!
//! The server answers without a network, and does not sign: open collections with [`Trust::Off`](crate::Trust). The
//! time of a client stands still between two calls of [`Clock::advance`]. The repository's `docs/testing.md` is the
//! guide.
//!
//! ```
//! use std::time::Duration;
//! use remora::testing::{Clock, Server};
//! use remora::{Client, ErrorKind, Trust};
//!
//! let (server, clock) = (Server::new(), Clock::new());
//! server.publish("demo", 1000, r#"[{"id": "limits", "last_modified": 1000, "max_uploads": 5}]"#);
//! let client = Client::in_memory()
//!     .server(server.url())
//!     .transport(&server)
//!     .clock(&clock)
//!     .build()?;
//! let demo = client.collection("demo").trust(Trust::Off).open()?;
//! demo.refresh(None)?;
//!
//! server.fail_next(1, 503, Duration::from_secs(30));
//! assert_eq!(demo.refresh(None).unwrap_err().kind(), ErrorKind::Http);
//! assert_eq!(demo.refresh(None).unwrap_err().kind(), ErrorKind::Backoff);
//! assert_eq!(demo.get_int("limits", "/max_uploads"), Some(5));
//!
//! clock.advance(Duration::from_secs(30));
//! demo.refresh(None)?;
//! # Ok::<(), remora::Error>(())
//! ```

mod clock;
mod server;

pub use clock::Clock;
pub use server::Server;
