//! The tables of `ARCHITECTURE.md`: which crates stand on which floor, and the layers inside a crate.

use super::Violation;

/// The page, as far as it can be enforced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The rows of the floors table.
    pub crates: Vec<CrateRow>,
    /// The tables of layers inside crates.
    pub layers: Vec<LayerTable>,
}

/// One crate of the floors table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrateRow {
    /// Line of the page.
    pub line: usize,
    /// Name of the package.
    pub name: String,
    /// Floor; none for tools that stand beside the house.
    pub floor: Option<usize>,
    /// Packages of the workspace it may import.
    pub imports: Vec<String>,
    /// Packages from outside it may import.
    pub outside: Vec<String>,
}

/// The layers inside one crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerTable {
    /// Name of the package.
    pub package: String,
    /// Its layers, lowest first.
    pub layers: Vec<Layer>,
}

/// Modules of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Line of the page.
    pub line: usize,
    /// Name of the layer.
    pub name: String,
    /// Modules, with `/` between parent and child.
    pub modules: Vec<String>,
    /// Names of the layers it may import; its own name means that its modules may import each other.
    pub imports: Vec<String>,
}

/// Prefix of all crates, left out in the table.
const PREFIX: &str = "lissome-";

impl Page {
    /// Reads the page; violations if a table cannot be understood.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Violation>> {
        let mut page = Self::default();
        let mut violations = Vec::new();
        for table in tables(text) {
            let header: Vec<&str> = table.header.iter().map(String::as_str).collect();
            match header[..] {
                ["floor", "crate", _, "may import", "from outside"] => page.read_floors(file, &table, &mut violations),
                ["layer", modules, "may import"] => {
                    if let Some(package) = modules.strip_prefix("modules of ") {
                        page.layers.push(LayerTable { package: package.into(), layers: read_layers(&table) });
                    }
                }
                _ => {}
            }
        }
        if page.crates.is_empty() {
            violations.push(Violation::new(
                file,
                0,
                "has no table `floor | crate | holds | may import | from outside`",
            ));
        }
        if violations.is_empty() { Ok(page) } else { Err(violations) }
    }

    /// The row of a package.
    pub fn row(&self, package: &str) -> Option<&CrateRow> {
        self.crates.iter().find(|row| row.name == package)
    }

    fn read_floors(&mut self, file: &str, table: &Table, violations: &mut Vec<Violation>) {
        for (line, cells) in &table.rows {
            let [floor, name, _, imports, outside] = &cells[..] else {
                violations.push(Violation::new(file, *line, "the floors table has five columns"));
                continue;
            };
            let floor = match floor.as_str() {
                "–" => None,
                number => match number.parse() {
                    Ok(floor) => Some(floor),
                    Err(_) => {
                        violations.push(Violation::new(file, *line, format!("`{number}` is not a floor")));
                        continue;
                    }
                },
            };
            self.crates.push(CrateRow {
                line: *line,
                name: name.clone(),
                floor,
                imports: list(imports).map(full_name).collect(),
                outside: list(outside).map(str::to_string).collect(),
            });
        }
    }
}

fn read_layers(table: &Table) -> Vec<Layer> {
    let rows = table.rows.iter().filter(|(_, cells)| cells.len() == 3);
    rows.map(|(line, cells)| Layer {
        line: *line,
        name: cells[0].clone(),
        modules: list(&cells[1]).map(str::to_string).collect(),
        imports: list(&cells[2]).map(str::to_string).collect(),
    })
    .collect()
}

/// `lie` → `lissome-lie`; `lissome` is the façade itself.
fn full_name(short: &str) -> String {
    if short == "lissome" || short.starts_with(PREFIX) { short.into() } else { format!("{PREFIX}{short}") }
}

/// The entries of a cell; `–` is none.
fn list(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(',').map(str::trim).filter(|entry| !entry.is_empty() && *entry != "–")
}

struct Table {
    header: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        let Some(inner) = line.trim().strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
            open = false;
            continue;
        };
        let cells: Vec<String> = inner.split('|').map(|cell| cell.trim().replace('`', "")).collect();
        if cells.iter().all(|cell| cell.starts_with('-') || cell.starts_with(":-")) {
            continue;
        }
        match tables.last_mut() {
            Some(table) if open => table.rows.push((index + 1, cells)),
            _ => tables.push(Table { header: cells, rows: Vec::new() }),
        }
        open = true;
    }
    tables
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SMALL: &str = "\
# House

| floor | crate | holds | may import | from outside |
|---|---|---|---|---|
| 0 | `lissome-lie` | groups | – | nalgebra |
| 5 | `lissome` | the door | lie | – |
| 6 | `lissome-cases` | figures | lissome, lie | serde, toml |
| – | `xtask` | tasks | – | toml |

| layer | modules of `lissome-mech` | may import |
|---|---|---|
| values | `load`, `element/spline` | – |
| system | `assemble` | values, system |
";

    #[test]
    fn both_tables_are_read() {
        let page = Page::read("A.md", SMALL).unwrap();
        assert_eq!(page.crates.len(), 4);
        let cases = page.row("lissome-cases").unwrap();
        assert_eq!((cases.floor, cases.line), (Some(6), 7));
        assert_eq!(cases.imports, ["lissome", "lissome-lie"]);
        assert_eq!(cases.outside, ["serde", "toml"]);
        assert_eq!(page.row("xtask").unwrap().floor, None);
        assert!(page.row("lissome-lie").unwrap().imports.is_empty());
        assert_eq!(page.layers[0].package, "lissome-mech");
        assert_eq!(page.layers[0].layers[0].modules, ["load", "element/spline"]);
        assert_eq!(page.layers[0].layers[1].imports, ["values", "system"]);
    }

    #[test]
    fn a_page_without_the_table_is_refused() {
        assert!(Page::read("A.md", "# House\n\n| a | b |\n|---|---|\n").is_err());
        assert!(Page::read("A.md", &SMALL.replace("| 5 |", "| top |")).is_err());
    }
}
