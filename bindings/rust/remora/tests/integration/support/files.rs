// SPDX-License-Identifier: Apache-2.0

//! Files that records have attached, and directories to keep them in.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file, and its description in a record.
#[derive(Clone)]
pub struct File {
    pub location: &'static str,
    pub hash: &'static str,
    pub bytes: Vec<u8>,
}

impl File {
    pub fn text() -> Self {
        Self {
            location: "things/text",
            hash: "df35a6e25179552aef05aff2513eb13f072f1e88f0548deaa074ed91218d7889",
            bytes: b"attached\n".to_vec(),
        }
    }

    /// What takes the place of `text`.
    pub fn new_text() -> Self {
        Self {
            location: "things/text.v2",
            hash: "75c63b2f3bbc4a854750dc58831d80303f462be0de14cd7460fe7528d463f700",
            bytes: b"attached anew\n".to_vec(),
        }
    }

    /// Of 1 MiB.
    pub fn large() -> Self {
        Self {
            location: "things/large",
            hash: "631b84027d6b9e52b539c4e8373622d23032dfadc64d60af87339c9037e4f769",
            bytes: (0..1 << 20).map(|index| (index % 251) as u8).collect(),
        }
    }

    pub fn empty() -> Self {
        Self {
            location: "things/empty",
            hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            bytes: Vec::new(),
        }
    }

    /// The member of a record, without braces.
    pub fn member(&self) -> String {
        format!(
            "\"attachment\": {{\"location\": \"{}\", \"hash\": \"{}\", \"size\": {}}}",
            self.location,
            self.hash,
            self.bytes.len()
        )
    }
}

/// A directory that is removed with its owner.
pub struct Directory(PathBuf);

impl Directory {
    /// An empty one, of the tests' process alone.
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("files-{}-{number}", std::process::id());
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl AsRef<Path> for Directory {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
