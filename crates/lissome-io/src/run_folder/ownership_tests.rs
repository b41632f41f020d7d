//! Files of the user, in every place where one may be.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::run_folder::{EVENTS, check_target};
use std::path::PathBuf;

struct Folder(PathBuf);

impl Folder {
    /// A folder of a run with two files.
    fn new(name: &str, status: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lissome-ownership-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        let run = path.join("arm.run");
        fs::create_dir(&run).unwrap();
        fs::write(run.join("scene.toml"), "schema = 1").unwrap();
        fs::write(run.join(EVENTS), "{}\n").unwrap();
        let files = [Entry::of("scene.toml", b"schema = 1"), Entry::of(EVENTS, b"{}\n")].map(|entry| entry.to_json());
        let manifest = json!({ "program": "lissome", "schema": 1, "status": status, "files": files });
        fs::write(run.join(MANIFEST), manifest.to_string()).unwrap();
        Self(path)
    }

    fn run(&self) -> PathBuf {
        self.0.join("arm.run")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_lissome_wrote_is_removed_whole() {
    let here = Folder::new("whole", "converged");
    check_target(&here.run()).unwrap();
    remove(&here.run()).unwrap();
    assert!(!here.run().exists());
}

#[test]
fn a_file_of_the_user_is_named_and_stays() {
    for (name, contents) in
        [("notes.txt", "mine"), ("scene.toml", "schema = 1 # mine"), (EVENTS, "{}\n{}\n"), ("a.partial", "")]
    {
        let here = Folder::new("file", "converged");
        fs::write(here.run().join(name), contents).unwrap();
        let refused = check_target(&here.run()).unwrap_err();
        assert_eq!(refused.code(), "E0610", "{name}");
        assert!(
            matches!(&refused, Fault::NotOurs { names, more: 0, .. } if names == &[name.to_owned()]),
            "{refused:?}"
        );
        assert!(remove(&here.run()).is_err());
        assert_eq!(fs::read_to_string(here.run().join(name)).unwrap(), contents);
    }
}

#[test]
fn folders_and_links_inside_are_the_users() {
    let here = Folder::new("inside", "converged");
    fs::create_dir(here.run().join("plots")).unwrap();
    assert_eq!(check_target(&here.run()).unwrap_err().code(), "E0610");
    #[cfg(unix)]
    {
        fs::remove_dir(here.run().join("plots")).unwrap();
        fs::rename(here.run().join("scene.toml"), here.0.join("elsewhere.toml")).unwrap();
        std::os::unix::fs::symlink(here.0.join("elsewhere.toml"), here.run().join("scene.toml")).unwrap();
        assert_eq!(check_target(&here.run()).unwrap_err().code(), "E0610");
    }
}

#[test]
fn a_bare_manifest_owns_nothing_else() {
    let here = Folder::new("bare", "converged");
    fs::write(here.run().join(MANIFEST), r#"{ "program": "lissome" }"#).unwrap();
    assert_eq!(check_target(&here.run()).unwrap_err().code(), "E0604");
    fs::write(here.run().join(MANIFEST), r#"{ "program": "lissome", "files": [] }"#).unwrap();
    assert_eq!(check_target(&here.run()).unwrap_err().code(), "E0610");
    fs::write(here.run().join(MANIFEST), r#"{ "program": "other", "files": [] }"#).unwrap();
    assert_eq!(check_target(&here.run()).unwrap_err().code(), "E0604");
}

#[test]
fn a_motion_under_way_may_be_half_written() {
    let here = Folder::new("running", "running");
    fs::write(here.run().join(EVENTS), "{}\n{\"event\": \"halved\"}\n").unwrap();
    for name in ["motion-00003.npz.partial", "checkpoint-1.npz.partial", "manifest.json.partial", "scene.toml.partial"]
    {
        fs::write(here.run().join(name), "PK").unwrap();
    }
    check_target(&here.run()).unwrap();
    fs::write(here.run().join("motion-00003.npz"), "PK").unwrap();
    assert_eq!(check_target(&here.run()).unwrap_err().code(), "E0610", "a part that no list knows");
}

#[test]
fn an_export_replaces_what_it_wrote() {
    let here = Folder::new("export", "converged");
    let into = here.0.join("arm.export");
    fs::create_dir(&into).unwrap();
    let names = || ["samples.csv"].into_iter();
    check_writable(&into, names()).unwrap();
    fs::write(into.join("samples.csv"), "1,2").unwrap();
    assert_eq!(check_writable(&into, names()).unwrap_err().code(), "E0610");
    let mut list = Ownership::default();
    list.extend([Entry::of("samples.csv", b"old"), Entry::of("samples.csv", b"1,2")]);
    let files: Vec<Json> = list.entries().iter().map(Entry::to_json).collect();
    assert_eq!(files.len(), 1);
    fs::write(into.join(EXPORT_LIST), json!({ "program": "lissome", "files": files }).to_string()).unwrap();
    check_writable(&into, names()).unwrap();
    fs::write(into.join("samples.csv"), "1,3").unwrap();
    assert_eq!(check_writable(&into, names()).unwrap_err().code(), "E0610");
}
