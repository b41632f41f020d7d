//! A folder of its own for each test, in which the program is started as a user starts it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder that goes when it is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes it, with files in it. The name tells it from those of other tests.
    pub fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("lissome-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        Self(path)
    }

    /// The program with arguments, ready to be started here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lissome"));
        command.args(arguments).current_dir(&self.0).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program and expects an exit code.
    pub fn lissome(&self, arguments: &[&str], exit: i32) -> Output {
        let output = self.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{said}");
        output
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
