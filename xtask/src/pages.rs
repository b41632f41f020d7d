//! Reports in a real browser: every kind is opened light, dark and narrow, turned, zoomed, played and scrubbed, with WebGL
//! and without; nothing is fetched, no error is told, and no hostile name runs.

use crate::browser::Browser;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where runs and pictures go, below the workspace.
const FOLDER: &str = "target/page";
/// Hostile titles.
const HOSTILE: usize = 100;
/// How long a picture may take: software draws slowly.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a click takes to be felt, and how often it is tried.
const A_MOMENT: Duration = Duration::from_secs(3);
const CLICKS: usize = 5;
/// Least part of the canvas that is painted.
const PAINTED: f64 = 0.002;

/// Kinds of report and the scenes that make them.
const KINDS: [(&str, Source); 7] = [
    ("statics", Source::Shipped("rod-on-floor")),
    ("path", Source::Shipped("six-rod-robot")),
    ("dynamics", Source::Shipped("whip")),
    ("modes", Source::Text(MODES)),
    ("shape", Source::Shipped("two-grippers")),
    ("buckling", Source::Shipped("strut")),
    ("branches", Source::Shipped("arch")),
];

#[derive(Clone, Copy)]
enum Source {
    /// A scene of `examples/scenes`.
    Shipped(&'static str),
    /// A scene in words.
    Text(&'static str),
}

const ROD: &str = "[material.rubber]\nyoung = \"1 MPa\"\npoisson = 0.45\ndensity = \"1100 kg/m^3\"\n[rod.arm]\n\
    material = \"rubber\"\nlength = \"300 mm\"\nsection = { shape = \"circle\", radius = \"10 mm\" }\n\
    base = { fixed_to = \"world\", tangent = [1, 0, 0] }\n";
const MODES: &str = "schema = 1\ntitle = \"Modes of a rod with a plate\"\n[material.rubber]\nyoung = \"1 MPa\"\n\
    poisson = 0.45\ndensity = \"1100 kg/m^3\"\n[rod.arm]\nmaterial = \"rubber\"\nlength = \"300 mm\"\n\
    section = { shape = \"circle\", radius = \"10 mm\" }\nbase = { fixed_to = \"world\", tangent = [1, 0, 0] }\n\
    [body.plate]\nmass = \"20 g\"\nshape = { cylinder = { radius = \"30 mm\", length = \"4 mm\" } }\n\
    mount = { fixed_to = \"arm\", at = \"tip\" }\n[job]\nkind = \"modes\"\n";

/// Runs the scenes with cargo in `root` and looks at their pages; the complaint if something is wrong.
pub fn test(root: &Path, program: &Path) -> Result<(), String> {
    let folder = root.join(FOLDER);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    build(root)?;
    let mut pages = Vec::new();
    for (kind, scene) in scenes(root, &folder)? {
        pages.push((kind, run(root, &scene, &folder.join(format!("{kind}.run")))?));
    }
    for cards in [true, false] {
        let mut browser = Browser::start(program, cards)?;
        for (kind, page) in &pages {
            let context =
                |complaint: String| format!("{kind}, WebGL {}: {complaint}", if cards { "there" } else { "missing" });
            // A browser on a busy machine may stall; a page that is wrong is wrong twice.
            if let Err(complaint) = look(&mut browser, kind, page, cards, &folder) {
                println!("   {}; once more", context(complaint));
                drop(browser);
                browser = Browser::start(program, cards)?;
                look(&mut browser, kind, page, cards, &folder).map_err(context)?;
            }
            println!("   {kind}: {} looked at", if cards { "WebGL" } else { "plain canvas" });
        }
        if cards {
            without_script(&mut browser, &pages[0].1)?;
            hostile(&mut browser, root, &folder)?;
            println!("   {HOSTILE} hostile titles ran nothing");
        }
    }
    println!("   pictures are in {FOLDER}");
    Ok(())
}

/// A scene for every kind of report; those that are not shipped are written into the folder.
pub fn scenes(root: &Path, folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, String> {
    let scene = |(kind, source): (&'static str, Source)| match source {
        Source::Shipped(name) => Ok((kind, root.join(format!("examples/scenes/{name}.toml")))),
        Source::Text(text) => Ok((kind, written(&folder.join(format!("{kind}.toml")), text)?)),
    };
    KINDS.into_iter().map(scene).collect()
}

fn written(path: &Path, text: &str) -> Result<PathBuf, String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path.to_owned())
}

/// The program, which [`build`] has built.
pub fn lissome(root: &Path) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    Command::new(target.join("release/lissome"))
}

/// Builds the program with the workspace: alone, features of what it shares with the Python package would differ, and half of it
/// be built again.
pub fn build(root: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--release", "--quiet", "--workspace"]).current_dir(root).status();
    match built {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the program does not build".into()),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// Runs a scene; the address of its report.
pub fn run(root: &Path, scene: &Path, out: &Path) -> Result<String, String> {
    let output = lissome(root).args(["run", "--quiet", "--out"]).args([out, scene]).output();
    let output = output.map_err(|error| format!("lissome: {error}"))?;
    let page = out.join("report.html");
    match page.is_file() {
        true => Ok(format!("file://{}", page.display())),
        false => Err(format!("{}: {}", scene.display(), String::from_utf8_lossy(&output.stderr))),
    }
}

/// Opens a page of a width, light or dark, and waits for its view.
fn open(browser: &mut Browser, page: &str, width: u32, dark: bool) -> Result<(), String> {
    let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.ask("Emulation.setDeviceMetricsOverride", size)?;
    let scheme = json!({ "name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" } });
    browser.ask("Emulation.setEmulatedMedia", json!({ "features": [scheme] }))?;
    // Away from the last page first, so that nothing of it is taken for this one.
    browser.ask("Page.navigate", json!({ "url": "about:blank" }))?;
    browser.until("location.href === 'about:blank'", PATIENCE)?;
    browser.told();
    browser.ask("Page.navigate", json!({ "url": page }))?;
    browser.until("location.href !== 'about:blank' && document.readyState === 'complete'", PATIENCE)
}

/// Nothing was fetched but the page, and nothing complained.
fn quiet(browser: &mut Browser, page: &str) -> Result<(), String> {
    for (method, told) in browser.told() {
        match method.as_str() {
            "Network.requestWillBeSent" if told["request"]["url"].as_str() != Some(page) => {
                return Err(format!("fetched {}", told["request"]["url"]));
            }
            "Runtime.exceptionThrown"
            | "Log.entryAdded"
            | "Runtime.consoleAPICalled"
            | "Page.javascriptDialogOpening"
            | "Inspector.targetCrashed" => return Err(format!("{method}: {told}")),
            _ => {}
        }
    }
    Ok(())
}

const CANVAS: &str = "document.querySelector('.stage-canvas')";

/// Number of pictures painted so far.
fn painted(browser: &mut Browser) -> Result<u64, String> {
    let count = browser.value(&format!("Number({CANVAS}.dataset.painted || 0)"))?;
    count.as_u64().or(count.as_f64().map(|count| count as u64)).ok_or_else(|| format!("painted {count} times"))
}

/// What is on the canvas: a number that changes with the picture, and the part of it that is painted.
fn read_canvas(browser: &mut Browser) -> Result<(u64, f64), String> {
    let script = format!(
        "(() => {{ const canvas = {CANVAS}, copy = document.createElement('canvas');
        copy.width = canvas.width; copy.height = canvas.height;
        const pen = copy.getContext('2d'); pen.drawImage(canvas, 0, 0);
        const data = pen.getImageData(0, 0, copy.width, copy.height).data;
        let sum = 0, full = 0;
        for (let i = 0; i < data.length; i += 4) {{
          if (data[i + 3]) full++;
          sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2] + 17 * data[i + 3]) % 4294967291;
        }}
        return [sum, 4 * full / data.length]; }})()"
    );
    let both = browser.value(&script)?;
    let sum = both[0].as_f64().ok_or_else(|| format!("the canvas cannot be read: {both}"))?;
    Ok((sum as u64, both[1].as_f64().unwrap_or(0.0)))
}

/// Does something, waits for a new picture, and wants it to differ.
fn changes(
    browser: &mut Browser,
    what: &str,
    act: impl FnOnce(&mut Browser) -> Result<(), String>,
) -> Result<(), String> {
    let (count, (before, _)) = (painted(browser)?, read_canvas(browser)?);
    act(browser)?;
    browser
        .until(&format!("Number({CANVAS}.dataset.painted) > {count}"), PATIENCE)
        .map_err(|e| format!("{what}: {e}"))?;
    let (after, part) = read_canvas(browser)?;
    match before == after || part < PAINTED {
        true => Err(format!("{what} leaves the picture as it was ({part} of it painted)")),
        false => Ok(()),
    }
}

/// Middle, or another part of the width, of an element in the window.
fn place_of(browser: &mut Browser, element: &str, part: f64) -> Result<(f64, f64), String> {
    let script = format!(
        "(() => {{ const element = {element}; element.scrollIntoView({{ block: 'center' }});
        const box = element.getBoundingClientRect();
        return [box.left + {part} * box.width, box.top + 0.5 * box.height]; }})()"
    );
    let at = browser.value(&script)?;
    at[0].as_f64().zip(at[1].as_f64()).ok_or_else(|| format!("{element} has no place"))
}

fn mouse(browser: &mut Browser, kind: &str, (x, y): (f64, f64), buttons: u32) -> Result<(), String> {
    let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
    browser.ask("Input.dispatchMouseEvent", event).map(|_| ())
}

fn click(browser: &mut Browser, at: (f64, f64)) -> Result<(), String> {
    mouse(browser, "mousePressed", at, 1)?;
    mouse(browser, "mouseReleased", at, 0)
}

/// Everything a reader does with a page.
fn look(browser: &mut Browser, kind: &str, page: &str, cards: bool, folder: &Path) -> Result<(), String> {
    let name = if cards { "webgl" } else { "canvas" };
    for (width, dark) in [(1400, true), (390, false), (1400, false)] {
        open(browser, page, width, dark)?;
        browser.until(&format!("!!{CANVAS} && Number({CANVAS}.dataset.painted) > 0"), PATIENCE)?;
        let (_, part) = read_canvas(browser)?;
        if part < PAINTED {
            return Err(format!("{width} wide: only {part} of the canvas is painted"));
        }
        let wide = browser.value("document.documentElement.scrollWidth")?;
        if wide.as_u64().is_none_or(|wide| wide > u64::from(width)) {
            return Err(format!("the page is {wide} px wide in a window of {width}"));
        }
        let painter = browser.value(&format!("{CANVAS}.dataset.painter"))?;
        if painter != name {
            return Err(format!("painted by {painter}"));
        }
        quiet(browser, page)?;
        let shade = if dark { "dark" } else { "light" };
        picture(browser, &folder.join(format!("{kind}-{name}-{shade}-{width}.png")))?;
    }
    interact(browser)?;
    quiet(browser, page)
}

fn interact(browser: &mut Browser) -> Result<(), String> {
    let button = "document.querySelector('.stage-play')";
    let moves = browser.value(&format!("!!{button}"))? == Json::Bool(true);
    if moves && browser.value(&format!("{button}.textContent"))? == "Pause" {
        let at = place_of(browser, button, 0.5)?;
        click(browser, at)?;
        browser.until(&format!("{button}.textContent === 'Play'"), PATIENCE)?;
    }
    changes(browser, "dragging", |browser| {
        let (x, y) = place_of(browser, CANVAS, 0.5)?;
        mouse(browser, "mousePressed", (x, y), 1)?;
        mouse(browser, "mouseMoved", (x + 90.0, y + 30.0), 1)?;
        mouse(browser, "mouseReleased", (x + 90.0, y + 30.0), 0)
    })?;
    changes(browser, "the key +", |browser| {
        browser.value(&format!("{CANVAS}.focus()"))?;
        for kind in ["keyDown", "keyUp"] {
            browser.ask("Input.dispatchKeyEvent", json!({ "type": kind, "key": "+", "text": "+" }))?;
        }
        Ok(())
    })?;
    let field =
        "[...document.querySelectorAll('.stage-choices label')].find((one) => one.textContent.startsWith('Colour'))";
    if browser.value(&format!("!!{field}"))? == Json::Bool(true) {
        changes(browser, "a field as colour", |browser| {
            let choose = "select.value = '1'; select.dispatchEvent(new Event('change'));";
            browser
                .value(&format!("(() => {{ const select = {field}.querySelector('select'); {choose} }})()"))
                .map(|_| ())
        })?;
    }
    if !moves {
        return Ok(());
    }
    let slider = "document.querySelector('.stage-bar input[type=range]')";
    for part in [0.3, 0.7] {
        // A click on the handle itself only takes hold of it, and wherever playing stopped it may stand: away with it first.
        browser.value(&format!("{slider}.value = 0; {slider}.dispatchEvent(new Event('input'))"))?;
        browser.until(&format!("Number({CANVAS}.dataset.at) === 0"), PATIENCE)?;
        changes(browser, "the slider", |browser| {
            let before = browser.value(&format!("Number({slider}.value)"))?;
            // A click that comes before the page has scrolled, on a busy machine, meets something else.
            for _ in 0..CLICKS {
                let at = place_of(browser, slider, part)?;
                click(browser, at)?;
                if browser.until(&format!("Number({slider}.value) !== {before}"), A_MOMENT).is_ok() {
                    break;
                }
            }
            Ok(())
        })?;
    }
    cursors(browser)?;
    changes(browser, "playing", |browser| {
        let at = place_of(browser, button, 0.5)?;
        browser.value(&format!("{slider}.value = 0; {slider}.dispatchEvent(new Event('input'))"))?;
        click(browser, at)?;
        browser.until(&format!("Number({CANVAS}.dataset.at) > 0.05"), PATIENCE)
    })
}

/// All plots over the axis of the view have their cursor at its place, and a click on one goes there.
fn cursors(browser: &mut Browser) -> Result<(), String> {
    let wrong = "(() => { const numbers = JSON.parse(document.getElementById('stage-numbers').textContent);
        if (numbers.groups.length > 1 || !['time', 'parameter'].includes(numbers.axis)) return [0, 0];
        const at = Number(document.querySelector('.stage-canvas').dataset.at), low = Math.floor(at), next = Math.min(low + 1, numbers.x.length - 1);
        const x = numbers.x[low] + (at - low) * (numbers.x[next] - numbers.x[low]);
        let wrong = 0, all = 0;
        for (const svg of document.querySelectorAll('svg[data-window]')) {
          const [from, to, left, right] = svg.dataset.window.split(' ').map(Number), line = svg.querySelector('.cursor');
          all++;
          if (!line || Math.abs(Number(line.getAttribute('x1')) - left - (x - from) / (to - from) * (right - left)) > 0.5) wrong++;
        }
        return [wrong, all, true]; })()";
    let found = browser.value(wrong)?;
    let applies = found[2] == Json::Bool(true);
    if applies && (found[0] != 0 || found[1].as_u64().unwrap_or(0) == 0) {
        return Err(format!("of {} cursors {} stand wrong", found[1], found[0]));
    }
    if applies {
        changes(browser, "a click on a plot", |browser| {
            let at = place_of(browser, "document.querySelector('svg[data-window]')", 0.4)?;
            click(browser, at)
        })?;
    }
    Ok(())
}

fn picture(browser: &mut Browser, path: &Path) -> Result<(), String> {
    let taken = browser.ask("Page.captureScreenshot", json!({ "format": "png" }))?;
    let bytes = from_base64(taken["data"].as_str().unwrap_or_default());
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(digit).collect();
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - chunk.len()));
        out.extend(bits.to_be_bytes()[1..].iter().take(chunk.len() * 6 / 8));
    }
    out
}

/// Without script the still pictures are there and the view is not.
fn without_script(browser: &mut Browser, page: &str) -> Result<(), String> {
    browser.ask("Emulation.setScriptExecutionDisabled", json!({ "value": true }))?;
    let shown = open(browser, page, 1400, false).and_then(|()| {
        browser.value("[document.getElementById('stage').offsetHeight, document.querySelectorAll('svg').length]")
    });
    browser.ask("Emulation.setScriptExecutionDisabled", json!({ "value": false }))?;
    let shown = shown?;
    match (shown[0].as_u64(), shown[1].as_u64()) {
        (Some(0), Some(pictures)) if pictures > 0 => Ok(()),
        _ => Err(format!("without script: view {} px high, {} pictures", shown[0], shown[1])),
    }
}

/// Titles that want to run something.
fn hostile_titles() -> Vec<String> {
    let hit = "document.documentElement.dataset.hit=1";
    let shapes = [
        "<script>HIT</script>",
        "</script><script>HIT</script>",
        "<img src=x onerror=HIT>",
        "<svg onload=HIT>",
        "\"><script>HIT</script>",
        "'><img src=x onerror=HIT>",
        "</title><script>HIT</script>",
        "</style><script>HIT</script>",
        "--><script>HIT</script>",
        "]]><script>HIT</script>",
        "<iframe srcdoc='<script>HIT</script>'>",
        "<a href='javascript:HIT' autofocus onfocus=HIT>x</a>",
        "<details open ontoggle=HIT>",
        "<body onload=HIT>",
        "<meta http-equiv=refresh content='0;url=javascript:HIT'>",
        "<math><mtext><script>HIT</script>",
        "${HIT}",
        "\\u003cscript\\u003eHIT\\u003c/script\\u003e",
        "&lt;script&gt;HIT&lt;/script&gt;",
        "<video><source onerror=HIT>",
    ];
    let dress: [fn(&str) -> String; 5] = [
        str::to_owned,
        |text| {
            text.to_uppercase().replace("DOCUMENT.DOCUMENTELEMENT.DATASET.HIT", "document.documentElement.dataset.hit")
        },
        |text| format!("</pre></details>{text}"),
        |text| text.replace('<', "<\u{200b}<"),
        |text| format!("\" onmouseover=\"x\" {text} '"),
    ];
    let all = shapes.iter().flat_map(|shape| dress.iter().map(move |dress| dress(&shape.replace("HIT", hit))));
    all.take(HOSTILE).collect()
}

/// Hostile titles stand on the page as words, and nothing of them runs.
fn hostile(browser: &mut Browser, root: &Path, folder: &Path) -> Result<(), String> {
    let titles = hostile_titles();
    if titles.len() != HOSTILE {
        return Err(format!("{} hostile titles instead of {HOSTILE}", titles.len()));
    }
    // A page that lets them run must be seen to, or what follows shows nothing.
    let trap = "<!DOCTYPE html><h1>x</h1><script>document.documentElement.dataset.hit=1</script>";
    let trap = written(&folder.join("trap.html"), trap)?;
    open(browser, &format!("file://{}", trap.display()), 390, false)?;
    if browser.value("document.documentElement.dataset.hit")? != "1" {
        return Err("a script that runs is not seen to run".into());
    }
    for (index, title) in titles.iter().enumerate() {
        // A JSON string is a TOML string.
        let text = format!("schema = 1\ntitle = {}\n{ROD}", json!(title));
        let scene = written(&folder.join("hostile.toml"), &text)?;
        let page = run(root, &scene, &folder.join(format!("hostile-{index}.run")))?;
        open(browser, &page, 390, false)?;
        browser.until(&format!("!!{CANVAS} && Number({CANVAS}.dataset.painted) > 0"), PATIENCE)?;
        let shown = browser
            .value("[document.querySelector('h1').firstChild.data, document.documentElement.dataset.hit || '']")?;
        if shown[1] != "" || shown[0] != json!(title) {
            return Err(format!("`{title}` became {shown}"));
        }
        quiet(browser, &page).map_err(|complaint| format!("`{title}`: {complaint}"))?;
        fs::remove_dir_all(folder.join(format!("hostile-{index}.run"))).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_standard_comes_back() {
        for (plain, coded) in [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(from_base64(coded), plain.as_bytes());
        }
    }

    #[test]
    fn hostile_titles_are_many_and_differ() {
        let mut titles = hostile_titles();
        titles.sort();
        titles.dedup();
        assert!(titles.len() > 90, "{}", titles.len());
    }
}
