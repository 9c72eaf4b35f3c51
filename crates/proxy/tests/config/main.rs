//! Configurations: every form that is taken; what is wrong, hostile or elsewhere is in the modules.

mod any_text;
mod files;
mod hostile;
mod mistakes;
mod policy;

use std::path::{Path, PathBuf};

use snugfit_proxy::config::{Auth, Compression, Config, Format, Handling, Loaded, Mode, Secret, Sessions, Structured, Transport, parse};

fn variable(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "PORT" => Some("9000".to_owned()),
        "EMPTY" => Some(String::new()),
        "YES" => Some("true".to_owned()),
        _ => None,
    }
}

fn read(text: &str, format: Format) -> Result<Config, String> {
    parse(text, format, "file", Path::new("/base"), &variable).map(|Loaded { config, .. }| config).map_err(|faults| faults.to_string())
}

fn yaml(text: &str) -> Result<Config, String> {
    read(text, Format::Yaml)
}

/// The example of the documentation.
const WHOLE: &str = r#"
servers:
  github:  { transport: stdio, command: ["npx", "-y", "@modelcontextprotocol/server-github"], env: { GITHUB_TOKEN: "${TOKEN}", DEBUG: 1 } }
  linear:  { transport: http, url: "https://mcp.linear.app/mcp", auth: passthrough }
  keyed:   { url: "https://example.com/mcp", auth: { type: header, name: X-Key, value: "${TOKEN}" }, callTimeout: 1m30s }
filters:   { allow: ["github.*", "linear.create_*"], deny: ["github.delete_*", "*.admin_*"] }
list:      { compression: off, definitions: rules, maxDescriptionChars: 160, dedupeSchemas: true, cachePath: .snugfit/shrink-cache.json }
results:   { mode: condense, budget: { tokens: 20000 }, structured: auto, errors: fit, multimodal: fit,
              perTool: { "github.get_file_contents": { mode: page } } }
store:     { entries: 128, bytes: 64MiB, ttl: 5m }
inbound:   { stdio: true, http: { enabled: true, host: 127.0.0.1, port: "${PORT}", path: /mcp, sessions: stateless } }
observability:
  trace:   { sink: file, path: .snugfit/trace.ndjson }
  metrics: { prometheus: { enabled: "${YES}", port: 9464 } }
  audit:   { enabled: true, path: .snugfit/audit.ndjson }
"#;

#[test]
fn the_example_of_the_documentation_is_read() {
    let config = yaml(WHOLE).unwrap();
    assert_eq!(config.servers.keys().collect::<Vec<_>>(), ["github", "linear", "keyed"]);
    let Transport::Stdio { command, args, env, cwd } = &config.servers["github"].transport else { panic!("stdio") };
    assert_eq!((command.as_str(), args.len(), cwd), ("npx", 2, &None));
    assert_eq!(env.iter().map(|(k, v)| (k.as_str(), v.expose())).collect::<Vec<_>>(), [("GITHUB_TOKEN", "s3cret"), ("DEBUG", "1")]);
    let Transport::Http { auth, .. } = &config.servers["linear"].transport else { panic!("http") };
    assert_eq!(*auth, Auth::Passthrough);
    let Transport::Http { auth, .. } = &config.servers["keyed"].transport else { panic!("http") };
    assert_eq!(*auth, Auth::Header { name: "X-Key".to_owned(), value: Secret::new("s3cret") });
    assert_eq!(config.servers["keyed"].call_timeout.unwrap().to_string(), "1m30s");
    assert!(config.filters.allow[0].is_match("github.a/b") && !config.filters.allow[0].is_match("gitlab.a"));
    assert_eq!(config.list.cache_path, Some(PathBuf::from("/base/.snugfit/shrink-cache.json")));
    assert_eq!(config.results.per_tool["github.get_file_contents"].mode, Some(Mode::Page));
    assert_eq!(config.results.budget.as_ref().unwrap().tokens, Some(20_000));
    assert_eq!((config.inbound.http.port, config.inbound.http.sessions), (9000, Sessions::Stateless));
    assert!(config.observability.metrics.prometheus.enabled);
    assert_eq!(config.observability.trace.path, PathBuf::from("/base/.snugfit/trace.ndjson"));
}

#[test]
fn nothing_is_the_defaults() {
    for text in ["", "\n# only a comment\n", "---\n", "null", "{}", "servers:\nfilters:\n  allow:\nresults:\n  budget:\n"] {
        let config = yaml(text).unwrap();
        let expected = Config { observability: yaml("{}").unwrap().observability, ..Config::default() };
        assert_eq!(config, expected, "{text:?}");
    }
    let config = Config::default();
    assert_eq!((config.results.mode, config.results.structured, config.results.errors), (Mode::Condense, Structured::Auto, Handling::Fit));
    assert_eq!((config.store.entries, config.store.bytes.bytes(), config.store.ttl.duration().as_secs()), (128, 64 << 20, 300));
    assert_eq!((config.list.compression, config.list.max_description_chars), (Compression::Off, 160));
    assert_eq!((config.limits.message_bytes.to_string().as_str(), config.names.separator.as_str()), ("256MiB", "__"));
    assert!(config.inbound.stdio && !config.inbound.http.enabled);
}

#[test]
fn every_form_says_the_same() {
    let expected = yaml("servers: { a: { command: [run, -x, '1'] } }").unwrap();
    for (text, format) in [
        ("servers: { a: { command: run, args: [-x, 1] } }", Format::Yaml),
        ("servers: { a: { command: [run], args: [-x, '1'] } }", Format::Yaml),
        ("servers:\r\n  a:\r\n    transport: stdio\r\n    command: run\r\n    args:\r\n    - -x\r\n    - 1\r\n", Format::Yaml),
        ("\u{feff}servers: { a: { command: &c [run, -x, '1'] } }", Format::Yaml),
        (r#"{"servers":{"a":{"command":["run","-x","1"]}}}"#, Format::Json),
        ("{\n\t\"servers\": {\n\t\t\"a\": { \"type\": \"stdio\", \"command\": \"run\", \"args\": [\"-x\", \"1\"] }\n\t}\n}", Format::Json),
        (r#"{"mcpServers":{"a":{"command":"run","args":["-x","1"],"alwaysAllow":["b"]}},"globalShortcut":"x"}"#, Format::Json),
        ("mcpServers: { a: { command: run, args: [-x, 1], timeout: 60 } }", Format::Yaml),
        (r#"{"name":"p","scripts":{},"snugfit":{"servers":{"a":{"command":["run","-x","1"]}}}}"#, Format::Package),
        (r#"{"snugfit":{"mcpServers":{"a":{"command":"run","args":["-x","1"]}}}}"#, Format::Package),
    ] {
        assert_eq!(read(text, format).as_ref(), Ok(&expected), "{text}");
    }
    let both = read(
        r#"{"servers":{"own":{"command":"a"}},"mcpServers":{"theirs":{"httpUrl":"https://h/mcp"},"off":{"command":"b","disabled":true}}}"#,
        Format::Json,
    );
    let both = both.unwrap().servers;
    assert_eq!(both.keys().collect::<Vec<_>>(), ["own", "theirs", "off"]);
    assert!(both["off"].disabled && matches!(both["theirs"].transport, Transport::Http { sse: false, .. }));
}

#[test]
fn variables_are_put_into_every_text() {
    for (written, expected) in [
        ("${TOKEN}", "s3cret"),
        ("a${TOKEN}b${PORT}c", "as3cretb9000c"),
        ("${NO:-default}", "default"),
        ("${EMPTY:-default}", "default"),
        ("${EMPTY}", ""),
        ("${NO:-}", ""),
        ("${NO:-a:-b}", "a:-b"),
        ("${env:TOKEN}", "s3cret"),
        ("$${TOKEN}", "${TOKEN}"),
        ("$TOKEN $$ {x}", "$TOKEN $$ {x}"),
    ] {
        let config = yaml(&format!("servers: {{ a: {{ command: run, args: ['{written}'] }} }}")).unwrap();
        let Transport::Stdio { args, .. } = &config.servers["a"].transport else { panic!("stdio") };
        assert_eq!(args[0], expected, "{written}");
    }
}

#[test]
fn sizes_and_times_are_read_with_their_units() {
    for (written, expected) in [
        ("4097", "4097"),
        ("4096", "4KiB"),
        ("64MiB", "64MiB"),
        ("4.5 KiB", "4608"),
        ("5kb", "5000"),
        ("'1GB'", "1000000000"),
        ("1gib", "1GiB"),
    ] {
        assert_eq!(
            yaml(&format!("observability: {{ trace: {{ maxBytes: {written} }} }}")).unwrap().observability.trace.max_bytes.to_string(),
            expected,
            "{written}"
        );
    }
    for (written, expected) in [("5m", "5m"), ("1h30m", "1h30m"), ("90s", "1m30s"), ("250ms", "250ms"), ("'1d 1s'", "1d1s"), ("0s", "0s")] {
        assert_eq!(
            yaml(&format!("limits: {{ shutdownTimeout: {written} }}")).unwrap().limits.shutdown_timeout.to_string(),
            expected,
            "{written}"
        );
    }
}
