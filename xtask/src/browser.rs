//! A browser without a window, driven by its debugging protocol: messages in JSON, each ended by a zero byte, over two pipes.
//!
//! The browser reads from its file descriptor 3 and writes to 4. A shell opens two named pipes there, so that no socket is
//! open to others on the machine and nothing beyond the standard library is needed.

use serde_json::{Value as Json, json};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Names under which a browser is looked for.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// An answer takes no longer than this, or the browser is gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser on this machine: what the variable `CHROMIUM` names, or the first known name in the path.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    NAMES.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

/// A running browser with one page.
pub struct Browser {
    child: Child,
    commands: File,
    messages: Receiver<Json>,
    folder: PathBuf,
    session: String,
    last: u64,
    /// Everything that the browser told without being asked, since the last look.
    events: Vec<Json>,
}

impl Browser {
    /// Starts one; with `cards`, WebGL is there (drawn by software), else it is missing.
    pub fn start(program: &Path, cards: bool) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("lissome-page-{}-{cards}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let (to, from) = (folder.join("to"), folder.join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status();
        if !made.is_ok_and(|status| status.success()) {
            return Err("named pipes are needed, and `mkfifo` does not make them".into());
        }
        let mut arguments = vec![
            "--headless".to_owned(),
            "--remote-debugging-pipe".into(),
            "--hide-scrollbars".into(),
            "--no-first-run".into(),
            "--disable-dev-shm-usage".into(),
            format!("--user-data-dir={}", folder.join("profile").display()),
        ];
        // A browser refuses to build its sandbox for the superuser; it opens only pages that this task wrote.
        let user = Command::new("id").arg("-u").output().map(|output| output.stdout);
        if user.is_ok_and(|user| user.starts_with(b"0\n")) {
            arguments.extend(["--no-sandbox".to_owned(), "--no-zygote".into()]);
        }
        let graphics: &[&str] = match cards {
            true => {
                &["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
            }
            false => &["--disable-gpu", "--disable-3d-apis"],
        };
        arguments.extend(graphics.iter().map(|flag| (*flag).to_owned()));
        let child = Command::new("sh")
            .args(["-c", "to=$1; from=$2; shift 2; exec \"$@\" 3<\"$to\" 4>\"$from\"", "sh"])
            .args([&to, &from])
            .arg(program)
            .args(&arguments)
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("sh: {error}"))?;
        let commands = OpenOptions::new().write(true).open(&to).map_err(|error| error.to_string())?;
        let answers = File::open(&from).map_err(|error| error.to_string())?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut answers = BufReader::new(answers);
            loop {
                let mut bytes = Vec::new();
                match answers.read_until(0, &mut bytes) {
                    Ok(count) if count > 0 => {}
                    _ => return,
                }
                bytes.pop();
                let Ok(message) = serde_json::from_slice(&bytes) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (session, events) = (String::new(), Vec::new());
        let mut browser = Self { child, commands, messages, folder, session, last: 0, events };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.ask("Target.attachToTarget", attach)?;
        browser.session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(browser)
    }

    /// Asks, and waits for the answer.
    pub fn ask(&mut self, method: &str, parameters: Json) -> Result<Json, String> {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.write_all(&bytes).map_err(|error| format!("{method}: the browser is gone ({error})"))?;
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message =
                self.messages.recv_timeout(left).map_err(|_| format!("{method}: the browser does not answer"))?;
            if message["id"].as_u64() != Some(self.last) {
                self.events.push(message);
                continue;
            }
            return match message.get("error") {
                Some(error) => Err(format!("{method}: {error}")),
                None => Ok(message["result"].clone()),
            };
        }
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Result<Json, String> {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", asked)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(format!("{expression}: {details}")),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str, patience: Duration) -> Result<(), String> {
        let end = Instant::now() + patience;
        while self.value(expression)? != Json::Bool(true) {
            if Instant::now() > end {
                return Err(format!("waited {} s in vain for: {expression}", patience.as_secs()));
            }
            std::thread::sleep(Duration::from_millis(40));
        }
        Ok(())
    }

    /// What the browser told without being asked since the last call, by method.
    pub fn told(&mut self) -> Vec<(String, Json)> {
        let events = std::mem::take(&mut self.events);
        let told = |mut event: Json| (event["method"].as_str().unwrap_or_default().to_owned(), event["params"].take());
        events.into_iter().map(told).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session.clear();
        let closed = self.ask("Browser.close", json!({}));
        if closed.is_err() {
            let _ = self.child.kill();
        }
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
