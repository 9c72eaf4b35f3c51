//! Writes `snugfit.schema.json` and the reference in `docs/configuration.md` anew from the types of the configuration:
//!
//! ```text
//! cargo run -p snugfit-proxy --example config-reference
//! ```

use std::path::Path;
use std::{fs, io};

use snugfit_proxy::config::{json_schema, reference};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::write(root.join("snugfit.schema.json"), format!("{:#}\n", json_schema()))?;
    let page = root.join("docs/configuration.md");
    let text = fs::read_to_string(&page)?;
    let mark = "<!-- From here on written by `cargo run -p snugfit-proxy --example config-reference`. -->\n";
    let (own, _) = text.split_once(mark).ok_or_else(|| io::Error::other(format!("{} has no line {mark}", page.display())))?;
    fs::write(page, format!("{own}{mark}\n{}", reference()))
}
