//! `init`, `validate-config` and `validate-file` as a user meets them.
#![allow(clippy::unwrap_used)] // clippy.toml allows it in tests; this is for their helpers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of its own for each test, above which no search finds anything.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("sub")).unwrap();
    path
}

/// Exit code, stdout and stderr of a call in a directory.
fn snugfit(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_snugfit")).args(args).current_dir(directory).env("TOKEN", "s3cret").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn init_writes_a_configuration_that_has_no_mistakes_and_keeps_what_is_there() {
    let directory = directory("init");
    let (code, said, _) = snugfit(&directory, &["init"]);
    assert_eq!(
        (code, said.as_str()),
        (0, "snugfit.config.yaml is written. Name your servers in it, then try `snugfit validate-config`.\n")
    );
    let written = fs::read_to_string(directory.join("snugfit.config.yaml")).unwrap();
    let (code, said, _) = snugfit(&directory.join("sub"), &["validate-config"]);
    let file = directory.join("snugfit.config.yaml");
    assert_eq!((code, said), (0, format!("{}: no mistakes, 1 server\n  files  stdio  npx\n", file.display())));

    let (code, _, told) = snugfit(&directory, &["init"]);
    assert_eq!(code, 2);
    assert!(told.starts_with("error: snugfit.config.yaml is there already and stays as it is; name another file"), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), written);

    // With the # off, the settings in comments have no mistakes either.
    let open: String = written
        .lines()
        .map(|line| {
            line.strip_prefix('#').filter(|rest| rest.starts_with("  ") || !rest.starts_with(' ')).unwrap_or(line).to_owned() + "\n"
        })
        .collect();
    fs::write(directory.join("open.yaml"), open).unwrap();
    let (code, said, told) = snugfit(&directory, &["validate-file", "open.yaml"]);
    assert_eq!(code, 0, "{told}");
    assert!(said.contains("3 servers") && said.contains("linear  http   https://mcp.linear.app/mcp"), "{said}");
    assert!(snugfit(&directory, &["init", "no/such/place.yaml"]).0 == 1);
}

#[test]
fn every_mistake_is_told_with_file_line_and_column() {
    let directory = directory("mistakes");
    fs::write(directory.join("bad.yaml"), "servers:\n  a: { url: '${MISSING}' }\nresult: {}\nstore: { ttl: soon }\n").unwrap();
    let expected = "error: 3 mistakes in the configuration\n\
        bad.yaml:2:13: servers.a.url: the environment variable MISSING is not set; set it, or write `${MISSING:-default}`\n\
        bad.yaml:3:1: result: unknown key `result`; did you mean `results`?\n\
        bad.yaml:4:15: store.ttl: expected a length of time such as 5m, 1h30m or 250ms, found another text\n";
    assert_eq!(snugfit(&directory, &["validate-file", "bad.yaml"]), (2, String::new(), expected.to_owned()));
    let (code, _, told) = snugfit(&directory, &["validate-config", "--config", "bad.yaml"]);
    assert_eq!((code, told.lines().count()), (2, 4));
    fs::write(directory.join("one.json"), "{\n  \"stroe\": {}\n}").unwrap();
    let expected = "error: one.json:2:3: stroe: unknown key `stroe`; did you mean `store`?\n";
    assert_eq!(snugfit(&directory, &["validate-file", "one.json"]), (2, String::new(), expected.to_owned()));
}

/// Whoever looks at somebody else's configuration must not have the terminal changed by it.
#[test]
fn nothing_in_a_configuration_acts_on_the_terminal() {
    let directory = directory("terminal");
    let evil = r"\e]0;title\a\e[31m\x9b2J\u202e";
    fs::write(directory.join("keys.yaml"), format!("servers:\n  \"a{evil}\": {{ \"com{evil}\": x }}\n")).unwrap();
    fs::write(directory.join("names.yaml"), format!("servers:\n  a: {{ command: \"c{evil}\" }}\n")).unwrap();
    for (file, expected) in [("keys.yaml", 2), ("names.yaml", 0)] {
        let (code, said, told) = snugfit(&directory, &["validate-file", file]);
        assert_eq!(code, expected, "{told}");
        let written = said + &told;
        assert!(written.contains("\u{fffd}[31m"), "{written:?}");
        assert!(!written.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{written:?}");
    }
}

#[test]
fn no_configuration_is_told_with_what_to_do() {
    // The directory of the build has a package.json above it, without the key.
    let directory = directory("none");
    for command in ["validate-config", "measure"] {
        let (code, said, told) = snugfit(&directory, &[command]);
        assert_eq!((code, said.as_str()), (2, ""));
        assert!(told.starts_with("error: there is no configuration in ") && told.contains("`snugfit init` writes one"), "{told}");
    }
    fs::write(directory.join("empty.yaml"), "servers:\n").unwrap();
    let (code, _, told) = snugfit(&directory, &["measure", "-c", "empty.yaml"]);
    assert_eq!(code, 2);
    assert!(told.starts_with("error: there is no server in empty.yaml: name some under `servers`"), "{told}");
}

#[test]
fn what_keeps_the_proxy_from_starting_is_a_mistake() {
    let directory = directory("unusable");
    for (config, said) in [
        (r#"{ "servers": {} }"#, "error: there is no server: "),
        (r#"{ "servers": { "a": { "url": "http://[" } } }"#, "error: servers.a: its url cannot be read: "),
        (r#"{ "servers": { "a": { "command": "run" } }, "inbound": { "stdio": false } }"#, "error: --config:1:56: inbound: both `stdio`"),
    ] {
        let validated = snugfit(&directory, &["validate-config", "-c", config]);
        let started = snugfit(&directory, &["proxy", "-c", config]);
        assert_eq!((validated.0, started.0), (2, 2), "{config}");
        assert!(validated.2.starts_with(said), "{}", validated.2);
        assert_eq!(validated.2, started.2);
    }
    let (code, _, told) = snugfit(&directory, &["validate-config", "-c", r#"{ "servers": { "a": { "command": "no-such-program" } } }"#]);
    assert_eq!((code, told.as_str()), (0, "warning: servers.a.command: there is no program \"no-such-program\" here\n"));
    let output = Command::new(env!("CARGO_BIN_EXE_snugfit"))
        .args(["validate-config", "-c", r#"{ "servers": { "a": { "command": "run" } } }"#])
        .env("SNUGFIT_MAX_TOKENS", "lots")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: SNUGFIT_MAX_TOKENS: expected a whole number of tokens"));
}

#[test]
fn the_servers_of_other_clients_are_read_and_credentials_not_shown() {
    let directory = directory("foreign");
    let text = r#"{ "mcpServers": { "a": { "url": "https://u:s3cret@h/mcp?key=${TOKEN}", "type": "http" }, "bb": { "command": "run", "disabled": true } } }"#;
    fs::write(directory.join("mcp.json"), text).unwrap();
    let expected = "  a   http   https://h/mcp\n  bb  stdio  run (disabled)\n";
    let (code, said, _) = snugfit(&directory, &["validate-file", "mcp.json"]);
    assert_eq!((code, said), (0, format!("mcp.json: no mistakes, 2 servers\n{expected}")));
    let (code, said, _) = snugfit(&directory, &["validate-config", "-c", text]);
    assert_eq!((code, said), (0, format!("--config: no mistakes, 2 servers\n{expected}")));
}

#[test]
fn help_fits_one_screen_and_has_an_example() {
    let directory = directory("help");
    for command in ["clean", "init", "measure", "proxy", "validate-config", "validate-file"] {
        let (code, help, _) = snugfit(&directory, &[command, "--help"]);
        assert_eq!(code, 0);
        assert!(help.lines().count() <= 24 && help.contains("Example: snugfit "), "{help}");
    }
}

#[test]
fn measure_tells_of_a_server_that_cannot_be_reached() {
    let directory = directory("unreached");
    let config = r#"{ "servers": { "gone": { "command": ["no-such-program-anywhere"] } } }"#;
    let (code, said, told) = snugfit(&directory, &["measure", "-c", config]);
    assert_eq!((code, said.as_str()), (1, ""));
    assert!(told.starts_with("error: gone: cannot be reached: ") && told.lines().count() == 1, "{told}");
}
