//! Where a configuration is found, and how it is read from there.

use std::fs;
use std::path::{Path, PathBuf};

use snugfit_proxy::config::{Transport, find, load, load_file};

/// A directory of its own for each test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("config-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("a/b")).expect("a directory");
    path
}

#[test]
fn the_nearest_directory_upward_counts_and_in_it_the_first_name() {
    let root = directory("upward");
    // Stops the search from leaving the directory of the test.
    fs::write(root.join(".snugfit.json"), "{}").unwrap();
    let below = root.join("a/b");
    assert_eq!(find(&below).unwrap(), Some(root.join(".snugfit.json")));
    fs::write(root.join("a/package.json"), r#"{ "name": "no key" }"#).unwrap();
    assert_eq!(find(&below).unwrap(), Some(root.join(".snugfit.json")));
    fs::write(root.join("a/package.json"), r#"{ "snugfit": { "store": { "ttl": "1s" } } }"#).unwrap();
    assert_eq!(find(&below).unwrap(), Some(root.join("a/package.json")));
    assert_eq!(load(None, &below).unwrap().unwrap().config.store.ttl.to_string(), "1s");
    for name in [".snugfit.json", ".snugfit.yml", ".snugfit.yaml", "snugfit.config.json", "snugfit.config.yml", "snugfit.config.yaml"] {
        fs::write(root.join("a").join(name), "{}").unwrap();
        assert_eq!(find(&below).unwrap(), Some(root.join("a").join(name)));
    }
    fs::create_dir(below.join("snugfit.config.yaml")).unwrap();
    assert_eq!(find(&below).unwrap(), Some(root.join("a/snugfit.config.yaml")), "a directory of the name is no file");
}

#[test]
fn a_name_is_a_file_or_the_text_itself() {
    let root = directory("named");
    fs::write(root.join("x.yaml"), "list: { cachePath: c.json }\nservers: { s: { command: run, cwd: sub } }").unwrap();
    let loaded = load(Some("x.yaml"), &root).unwrap().unwrap();
    assert_eq!(loaded.config.list.cache_path, Some(root.join("c.json")));
    let Transport::Stdio { cwd, .. } = &loaded.config.servers["s"].transport else { panic!("stdio") };
    assert_eq!(*cwd, Some(root.join("sub")));
    let inline = load(Some(r#" {"mcpServers":{"s":{"command":"run"}}}"#), &root).unwrap().unwrap();
    assert_eq!((inline.config.servers.len(), inline.origin.as_str()), (1, "--config"));
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let root = directory("unreadable");
    fs::write(root.join("latin.yaml"), b"a: b\nname: caf\xe9").unwrap();
    fs::write(root.join("large.json"), vec![b' '; (4 << 20) + 1]).unwrap();
    for (name, expected) in [
        ("no.yaml", "no.yaml: cannot be read: No such file"),
        ("latin.yaml", "latin.yaml:2:10: not UTF-8 from here on"),
        ("large.json", "large.json: cannot be read: larger than 4 MiB"),
        ("notes.txt", "notes.txt: expected a file that ends in .yaml, .yml, .json, .js or .mjs"),
        (
            "x.config.mjs",
            "x.config.mjs: a script needs Node: start snugfit by its npm package (npx snugfit), or write the configuration as YAML",
        ),
    ] {
        let told = load_file(&root.join(name)).unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
}
