//! Configurations: every form that is taken, every mistake with its place.

use std::path::{Path, PathBuf};

use snugfit_proxy::config::{
    Auth, Compression, Config, Format, Glob, Handling, Loaded, Mode, Policy, Profile, ResultFlags, Secret, Sessions, Structured, Transport,
    find, load, load_file, parse,
};

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

/// Each mistake alone, as it is told.
const MISTAKES: &[(&str, &str)] = &[
    // The text itself.
    ("servers: [", "file:2:1: not YAML: "),
    ("a: b: c", "file:1:5: not YAML: "),
    ("servers:\n\ta: 1", "file:2:2: not YAML: "),
    ("- a", "file:1:1: expected a map of settings, found a list"),
    ("just words", "file:1:1: expected a map of settings, found another text"),
    ("{}\n---\n{}", "file:2:1: a second document begins here; a configuration is one"),
    ("store: { ttl: 5m }\nlimits: {}\nstore: {}", "file:3:1: `store` is here twice; the first is at 1:1"),
    ("store: !env TTL", "file:1:8: the tag `!env` means nothing here"),
    ("? [a]\n: b", "file:1:3: a key must be a text"),
    ("store: *nowhere", "file:1:8: not YAML: "),
    ("a: &a [*a]", "file:1:8: this alias is inside what it stands for"),
    // Keys and values.
    ("server: {}", "file:1:1: server: unknown key `server`; did you mean `servers`?"),
    (
        "zebra: {}",
        "file:1:1: zebra: unknown key `zebra`; expected `$schema`, `servers`, `names`, `filters`, `list`, `surface`, `results`, `store`, `inbound`, \
         `observability` or `limits`",
    ),
    (
        "list:\n  maxDescriptionChar: 1",
        "file:2:3: list.maxDescriptionChar: unknown key `maxDescriptionChar`; did you mean `maxDescriptionChars`?",
    ),
    ("results: { mode: condence }", "file:1:18: results.mode: unknown value `condence`; did you mean `condense`?"),
    ("results: { mode: zzz }", "file:1:18: results.mode: unknown value `zzz`; expected `condense`, `page`, `trim` or `off`"),
    ("results: { mode: [off] }", "file:1:18: results.mode: expected `condense`, `page`, `trim` or `off`, found a list"),
    ("inbound: { http: { port: 70000 } }", "file:1:26: inbound.http.port: expected a whole number from 0 to 65535, found the number 70000"),
    ("inbound: { http: { port: -1 } }", "file:1:26: inbound.http.port: expected a whole number from 0 to 65535, found the number -1"),
    ("inbound: { http: { port: http } }", "file:1:26: inbound.http.port: expected a whole number from 0 to 65535, found another text"),
    ("inbound: { http: { port: '8080' } }", "file:1:26: inbound.http.port: expected a whole number from 0 to 65535, found another text"),
    ("inbound: { stdio: yes }", "file:1:19: inbound.stdio: expected true or false, found another text"),
    ("inbound: { http: true }", "file:1:18: inbound.http: expected a map of settings, found `true`"),
    ("filters: { allow: 'a.*' }", "file:1:19: filters.allow: expected a list, found another text"),
    (
        "filters: { allow: ['ok', '[a'] }",
        "file:1:26: filters.allow[1]: not a pattern (unclosed character class; missing ']'); expected one such as `github.get_*`",
    ),
    ("store: { bytes: lots }", "file:1:17: store.bytes: expected a size such as 64MiB, 500kB or a number of bytes, found another text"),
    ("store: { bytes: 1.5 }", "file:1:17: store.bytes: expected a size such as 64MiB, 500kB or a number of bytes, found the number 1.5"),
    (
        "store: { bytes: 9999999999999999 }",
        "file:1:17: store.bytes: expected a size such as 64MiB, 500kB or a number of bytes, found the number 9999999999999999",
    ),
    ("store: { ttl: 300 }", "file:1:15: store.ttl: expected a length of time such as 5m, 1h30m or 250ms, found the number 300"),
    ("store: { ttl: 5 minutes }", "file:1:15: store.ttl: expected a length of time such as 5m, 1h30m or 250ms, found another text"),
    ("store: { redis: { secret: s } }", "file:1:17: store.redis: `url` is missing"),
    (
        "store: { redis: { url: u, onFailure: retry } }",
        "file:1:38: store.redis.onFailure: unknown value `retry`; expected `error` or `passthrough`",
    ),
    (
        "names: { separator: '.' }",
        "file:1:21: names.separator: expected 1 to 8 letters, digits, `_` or `-`, which is all that model APIs accept in names, found another text",
    ),
    ("results: { budget: 20000 }", "file:1:20: results.budget: expected a map of settings, found the number 20000"),
    (
        "results: { budget: {} }",
        "file:1:20: results.budget: names no limit; expected one of `tokens`, `chars`, `bytes`, `lines`, such as { tokens: 20000 }",
    ),
    ("results: { budget: { chars: 349 } }", "file:1:20: results.budget: `chars` is too small: a preview and its notice need at least 350"),
    ("results: { budget: { token: 349 } }", "file:1:22: results.budget.token: unknown key `token`; did you mean `tokens`?"),
    // Servers.
    ("servers: { a: }", "file:1:13: servers.a: needs a `command` to start, or a `url`"),
    ("servers: { a: { command: [] } }", "file:1:15: servers.a: needs a `command` to start, or a `url`"),
    (
        "servers: { a: { command: x, url: 'https://h' } }",
        "file:1:15: servers.a: has a `url`, so `command`, `args`, `env` and `cwd` have no place: leave one of them out",
    ),
    (
        "servers: { a: { command: { x: 1 } } }",
        "file:1:26: servers.a.command: expected the name of a program, or a list of its name and arguments, found a map",
    ),
    ("servers: { a: { transport: http } }", "file:1:15: servers.a: needs a `url`, as its transport is HTTP"),
    ("servers: { a: { transport: htp, url: 'https://h' } }", "file:1:28: servers.a.transport: unknown value `htp`; did you mean `http`?"),
    (
        "servers: { a: { transport: stdio, url: 'https://h' } }",
        "file:1:15: servers.a: has a `url`, but its transport is stdio: leave one of them out",
    ),
    ("servers: { a: { url: 'ftp://h' } }", "file:1:15: servers.a: its `url` must begin with http:// or https://"),
    (
        "servers: { a: { command: x, auth: passthrough } }",
        "file:1:15: servers.a: `headers` and `auth` are for servers with a `url`; a program is given its credentials in `env`",
    ),
    (
        "servers: { a: { url: 'https://h', auth: basic } }",
        "file:1:41: servers.a.auth: expected `none`, `passthrough`, `oauth` or { type: header, name: …, value: … }, found another text",
    ),
    (
        "servers: { a: { url: 'https://h', auth: { type: header, name: X } } }",
        "file:1:41: servers.a.auth: `type: header` needs the header's `name` and `value`",
    ),
    (
        "servers: { a: { url: 'https://h', auth: { type: hedder } } }",
        "file:1:49: servers.a.auth.type: unknown value `hedder`; did you mean `header`?",
    ),
    (
        "servers: { a: { url: 'https://h', auth: { type: none, name: X } } }",
        "file:1:41: servers.a.auth: `name` and `value` belong to `type: header`",
    ),
    (
        "servers: { a.b: { command: x } }",
        "file:1:17: servers.a.b: the name of a server must not be empty and has no `.`, which stands between it and a tool's name",
    ),
    ("servers: { a: { command: x } }\nmcpServers: { a: { command: y } }", "file:2:15: mcpServers: `a` is here and in `servers`"),
    ("mcpServers: [a]", "file:1:13: mcpServers: expected a map of servers"),
    // Variables.
    (
        "servers: { a: { command: x, env: { K: '${MISSING}' } } }",
        "file:1:39: servers.a.env.K: the environment variable MISSING is not set; set it, or write `${MISSING:-default}`",
    ),
    (
        "store: { ttl: '${TOKEN' }",
        "file:1:15: store.ttl: a variable begins with `${` and has no `}`; write `$${` for the characters themselves",
    ),
    (
        "store: { ttl: '${input:key}' }",
        "file:1:15: store.ttl: expected a variable such as `${NAME}` or `${NAME:-default}`; write `$${` for the characters themselves",
    ),
    (
        "store: { ttl: '${TOKEN}' }",
        "file:1:15: store.ttl: expected a length of time such as 5m, 1h30m or 250ms, found the value of a variable",
    ),
    (
        "results: { mode: '${TOKEN}' }",
        "file:1:18: results.mode: expected `condense`, `page`, `trim` or `off`, found the value of a variable",
    ),
    (
        "inbound: { http: { port: '${TOKEN}' } }",
        "file:1:26: inbound.http.port: expected a whole number from 0 to 65535, found the value of a variable",
    ),
    // What goes together.
    (
        "inbound: { http: { enabled: true, host: 0.0.0.0 } }",
        "file:1:41: inbound.http.host: anybody who reaches this address could use the servers and their credentials; set `inbound.http.auth` \
         (`bearer`, or `trustProxy` behind a gateway that checks), or listen on 127.0.0.1",
    ),
    ("inbound: { http: { enabled: true, path: mcp } }", "file:1:41: inbound.http.path: must begin with /"),
    ("inbound: { http: { enabled: true, path: '/{x' } }", "file:1:41: inbound.http.path: has only letters, digits and / - . _ ~"),
    ("inbound: { http: { enabled: true, host: example.com } }", "file:1:41: inbound.http.host: expected an IP address or `localhost`"),
    (
        "inbound: { http: { enabled: true, auth: { bearer: [a, ''] } } }",
        "file:1:51: inbound.http.auth.bearer: a token is not empty and has only visible ASCII characters",
    ),
    ("inbound: { stdio: false }", "file:1:10: inbound: both `stdio` and `http` are off, so that no client could come in"),
    ("limits: { callTimeout: 0s }", "file:1:24: limits.callTimeout: must be more than 0, or nothing could ever be done"),
    ("store: { redis: { url: u, namespace: '' } }", "file:1:38: store.redis.namespace: is not empty and has only visible ASCII characters"),
    (
        "store: { redis: { url: u, maxBytesPerEntry: 1GiB } }",
        "file:1:45: store.redis.maxBytesPerEntry: must be more than 0 and at most 500MiB: a value in Redis holds no more than 512",
    ),
    (
        "store: { redis: { url: u, timeout: 1ms } }",
        "file:1:36: store.redis.timeout: must be at least 10ms, or no request could be answered in time",
    ),
    ("store: { entries: 18446744073709551615 }", "file:1:19: store.entries: must be at most 100000; `store.bytes` bounds what they hold"),
    ("servers: { \"a\\e[2J\": { command: x } }", "file:1:10: servers: the name of a server has no control characters"),
    ("servers: { a: { command: !!binary c2g= } }", "file:1:26: the tag `tag:yaml.org,2002:!binary` means nothing here"),
    (
        "observability: { audit: { maxBytes: 1 } }",
        "file:1:37: observability.audit.maxBytes: must be at least 4KiB, or every line would have a file of its own",
    ),
    ("store: { entries: 0 }", "file:1:19: store.entries: must be more than 0, or no original could be kept"),
    ("servers: { a: { command: x, callTimeout: 0ms } }", "file:1:42: servers.a.callTimeout: must be more than 0"),
    ("servers: { a: { command: x, args: [\"a\\0\"] } }", "file:1:15: servers.a: a NUL character cannot be handed to a program"),
    ("servers: { a: { command: x, env: { 'A=B': c } } }", "file:1:34: servers.a.env: the name of a variable is not empty and has no `=`"),
    (
        "list: { definitions: llm }",
        "file:1:22: list.definitions: `llm` takes descriptions from the file that `list.cachePath` names, and none is named",
    ),
    (
        "results: { perTool: { 'a.[': {} } }",
        "file:1:30: results.perTool.a.[: not a pattern (unclosed character class; missing ']'); expected one such as `github.get_*`",
    ),
];

#[test]
fn every_mistake_is_told_with_its_place() {
    let yaml = MISTAKES.iter().map(|(text, expected)| (*text, Format::Yaml, *expected));
    let json = JSON_MISTAKES.iter().map(|(text, expected)| (*text, Format::Json, *expected));
    let wrong: Vec<String> = yaml
        .chain(json)
        .filter_map(|(text, format, expected)| {
            let told = read(text, format).expect_err(text);
            // What the YAML parser says is its own business; that it says something is ours.
            let holds = if expected.ends_with(": ") { told.len() > expected.len() && told.starts_with(expected) } else { told == expected };
            (!holds).then(|| format!("{text}\n  expected {expected}\n  told     {told}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const JSON_MISTAKES: &[(&str, &str)] = &[
    ("{\n  \"store\": { \"ttl\": }\n}", "file:2:21: not JSON: expected value"),
    ("{ \"é\": 1, }", "file:1:11: not JSON: key must be a string"),
    ("", "file:1:1: not JSON: EOF while parsing a value"),
    ("// no\n{}", "file:1:1: not JSON: expected value"),
    (
        "{ \"store\":\n  { \"ttl\": \"x\" } }",
        "file:2:12: store.ttl: expected a length of time such as 5m, 1h30m or 250ms, found another text",
    ),
    ("{ \"stroe\"  : {} }", "file:1:3: stroe: unknown key `stroe`; did you mean `store`?"),
    (
        "{ \"\\ud83d\\ude00\": { \"store\": 1 } }",
        "file:1:3: 😀: unknown key `😀`; expected `$schema`, `servers`, `names`, `filters`, `list`, `surface`, `results`, `store`, `inbound`, \
         `observability` or `limits`",
    ),
    ("{ \"store\": 1, \"store\": 2 }", "file:1:15: `store` is here twice; the first is at 1:3"),
];

#[test]
fn all_mistakes_are_told_at_once_and_none_that_follows_from_another() {
    let text = "servers:\n  a: { command: 1, url: x, tokn: y }\n  b: { url: '${MISSING}' }\n  c: { url: [1] }\nstore: { bytes: no, ttl: '${MISSING}', redis: { url: {}, secret: s } }\nresult: {}\ninbound: { http: { port: x, host: [] } }\n";
    let told = yaml(text).unwrap_err();
    let places: Vec<&str> = told.lines().skip(1).map(|line| line.split(": ").take(2).last().unwrap()).collect();
    assert_eq!(
        places,
        [
            "servers.a.command",
            "servers.a.tokn",
            "servers.b.url",
            "servers.c.url",
            "store.bytes",
            "store.ttl",
            "store.redis.url",
            "result",
            "inbound.http.port",
            "inbound.http.host"
        ],
        "{told}"
    );
}

#[test]
fn values_of_variables_and_credentials_are_in_no_message() {
    for text in [
        "servers: { a: { url: '${TOKEN}' } }",
        "results: { mode: '${TOKEN}' }",
        "servers: { a: { url: 'https://h', auth: '${TOKEN}' } }",
        "servers: { a: { url: 'https://h', auth: s3cret } }",
        "servers: { a: { url: 'https://h', headers: s3cret } }",
        "servers: { a: { url: 's3cret' } }",
        "filters: { deny: ['[${TOKEN}'] }",
        "store: { redis: s3cret }",
    ] {
        assert!(!yaml(text).unwrap_err().contains("s3cret"), "{text}: {}", yaml(text).unwrap_err());
    }
    let config =
        yaml("servers: { a: { url: 'https://h', auth: { type: header, name: N, value: s3cret }, headers: { H: s3cret } } }").unwrap();
    assert!(!format!("{config:?}").contains("s3cret"));
}

#[test]
fn hostile_texts_are_refused_quickly() {
    let bomb = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| format!("{text}a{n}: &a{n} [*a{p}, *a{p}]\n", p = n - 1));
    assert!(yaml(&bomb).unwrap_err().contains("this anchor makes the configuration too large"));
    let deep = |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    assert!(yaml(&deep("[", "]", 100)).unwrap_err().contains("nested more than 64 levels deep"));
    assert!(yaml(&deep("{a: ", "}", 100)).unwrap_err().contains("nested more than 64 levels deep"));
    for text in [deep("[", "]", 200_000), deep("- ", "", 200_000), deep("{a: ", "}", 200_000), "? ".repeat(100_000), "\"".repeat(300_001)] {
        assert!(yaml(&text).is_err());
        assert!(read(&text, Format::Json).is_err());
    }
    let wide: String = (0..150_000).map(|n| format!("k{n}: 1\n")).collect();
    assert!(yaml(&wide).unwrap_err().contains("more than 100000 values"));
}

#[test]
fn text_that_is_copied_is_counted() {
    let long = "x".repeat(1 << 20);
    // An alias of a text, a key or a nest; anchors within anchors, which nobody names.
    let aliases = format!("servers: &a ['{long}']\nmcpServers: [{}]", "*a, ".repeat(1000));
    assert_eq!(yaml(&aliases).unwrap_err(), "file:2:34: this alias makes the configuration too large");
    let keys = format!("servers: &a {{ {}: 1 }}\nmcpServers: [{}]", "k".repeat(900), "*a, ".repeat(40_000));
    assert!(yaml(&keys).unwrap_err().contains("this alias makes the configuration too large"));
    let anchors = format!("servers: {}'{long}'{}", (0..60).map(|n| format!("&a{n} [")).collect::<String>(), "]".repeat(60));
    assert!(yaml(&anchors).unwrap_err().ends_with("this anchor makes the configuration too large"));
    let variables = format!("servers: {{ a: {{ command: '{}' }} }}", "${LONG}".repeat(10_000));
    let long = |_: &str| Some("y".repeat(100_000));
    let told = parse(&variables, Format::Yaml, "file", Path::new("/"), &long).unwrap_err().to_string();
    assert_eq!(told, "file:1:26: servers.a.command: variables make more than 8 MiB of the configuration");
}

#[test]
fn patterns_are_bounded_and_none_panics() {
    for pattern in ["*".repeat(100_000), "{".repeat(100_000), "[^a]".repeat(30_000), "?".repeat(513)] {
        assert_eq!(Glob::new(&pattern).unwrap_err(), "longer than 512 bytes");
    }
    for pattern in ["*".repeat(512), "?".repeat(512), "{a,".repeat(170), "{*,[a-z]}".repeat(56), "[!\u{10ffff}]".repeat(60)] {
        if let Ok(glob) = Glob::new(&pattern) {
            assert!(!glob.is_match("") || pattern.starts_with('*') || pattern.starts_with('{'), "{pattern}");
        }
    }
    let many = vec!["'a*'"; 1001].join(", ");
    let told = yaml(&format!("filters: {{ deny: [{many}] }}")).unwrap_err();
    assert_eq!(told, "file:1:18: filters.deny: more than 1000 patterns; write fewer with `*` and `{a,b}`");
    let many: String = (0..1001).map(|n| format!("a{n}: {{}}, ")).collect();
    let told = yaml(&format!("results: {{ perTool: {{ {many} }} }}")).unwrap_err();
    assert_eq!(told, "file:1:21: results.perTool: more than 1000 entries; write fewer with `*` and `{a,b}`");
}

#[test]
fn of_thousands_of_mistakes_the_first_are_told() {
    let each = |form: fn(usize) -> String| (0..30_000).map(form).collect::<String>();
    for (text, format) in [
        (each(|n| format!("servres{n}: 1\n")), Format::Yaml),
        (format!("servers:\n{}", each(|n| format!("  a.{n}: {{ command: x }}\n"))), Format::Yaml),
        (format!("servers:\n{}", each(|n| format!("  a{n}: {{ comand: x }}\n"))), Format::Yaml),
        (format!("filters:\n  allow:\n{}", each(|n| format!("  - ${{V{n}}}\n"))), Format::Yaml),
        (format!("{{\"servers\":{{{}\"z\":1}}}}", each(|n| format!("\"a{n}\":{{\"command\":[]}},\n"))), Format::Json),
        (
            format!("servers:\n{0}mcpServers:\n{0}", (0..15_000).map(|n| format!("  a{n}: {{ command: x }}\n")).collect::<String>()),
            Format::Yaml,
        ),
    ] {
        let told = read(&text, format).unwrap_err();
        assert_eq!(told.lines().count(), 51, "{}", &told[..2000.min(told.len())]);
        assert!(told.starts_with("the first 50 mistakes in the configuration\n"), "{}", &told[..200]);
    }
    // Names as long as the file come in excerpts.
    let long = "n".repeat(1 << 20);
    let told = yaml(&format!("servers: {{ {long}: {{ {long}: 1, command: '${{{long}}}' }} }}\n{long}: 1")).unwrap_err();
    assert!(told.len() < 2000, "{}", told.len());
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    /// Texts that get far: made of what configurations are made of.
    fn likely() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("servers"),
            Just(": "),
            Just("\n"),
            Just("  "),
            Just("- "),
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just("\""),
            Just("'"),
            Just("command"),
            Just("url"),
            Just("mcpServers"),
            Just("results"),
            Just("mode"),
            Just("page"),
            Just("${"),
            Just("TOKEN}"),
            Just("&a "),
            Just("*a"),
            Just("|\n"),
            Just("# "),
            Just("store"),
            Just("ttl"),
            Just("5m"),
            Just("null"),
            Just("1e9"),
            Just("\t"),
            Just("é"),
            Just("---\n"),
            Just("? "),
            Just("!!str "),
            Just("<<"),
            Just("\\u00"),
            Just("\u{feff}"),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn never_panics(text in prop_oneof![any::<String>(), likely()]) {
            for format in [Format::Yaml, Format::Json, Format::Package] {
                if let Err(faults) = parse(&text, format, "file", Path::new("/"), &variable) {
                    prop_assert!(!faults.faults.is_empty());
                    for fault in faults.faults {
                        let lines = text.split('\n').count() + text.matches(['\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
                        prop_assert!(!fault.message.is_empty() && fault.position.is_none_or(|at| at.line >= 1 && at.column >= 1 && at.line <= lines + 1));
                    }
                }
            }
        }

        #[test]
        fn json_is_read_as_yaml_reads_it(mode in "condense|page|of", tokens in 0usize..400, keys in proptest::collection::vec("[a-c]", 0..4)) {
            let servers: Vec<String> = keys.iter().map(|key| format!("{key:?}: {{ \"command\": [\"x\"] }}")).collect();
            let text = format!("{{\n \"results\": {{ \"mode\": {mode:?},\n \"budget\": {{ \"tokens\": {tokens} }} }}, \"servers\": {{ {} }} }}", servers.join(", "));
            prop_assert_eq!(read(&text, Format::Json), read(&text, Format::Yaml));
        }
    }
}

mod files {
    use super::*;
    use std::fs;

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
}

#[test]
fn what_is_more_specific_or_closer_to_the_caller_wins() {
    let config = |text: &str| yaml(text).unwrap();
    let base = "servers: { s: { command: x, results: { budget: { chars: 5000 } } }, t: { command: x } }\nresults: { budget: { chars: 9000 }, perTool: { 's.exact': { budget: { chars: 400 } }, 's.ex*': { mode: trim }, 's.e*': { mode: page } } }";
    let chars = |n| snugfit_proxy::config::Budget::new(None, Some(n)).unwrap();
    let flags = ResultFlags { budget: Some(chars(7000)), mode: Some(Mode::Trim) };
    let none = ResultFlags::default();
    for (flags, variable, server, tool, expected) in [
        (&none, None, "s", "exact", (Mode::Condense, Some(400), None)),
        (&none, None, "s", "extra", (Mode::Trim, Some(5000), None)),
        (&none, None, "s", "eve", (Mode::Page, Some(5000), None)),
        (&none, None, "t", "any", (Mode::Condense, Some(9000), None)),
        (&none, Some("6000"), "t", "any", (Mode::Condense, None, Some(6000))),
        (&none, Some(""), "t", "any", (Mode::Condense, Some(9000), None)),
        (&flags, Some("6000"), "t", "any", (Mode::Trim, Some(7000), None)),
        (&flags, Some("6000"), "s", "exact", (Mode::Trim, Some(400), None)),
        (&flags, Some("6000"), "s", "eve", (Mode::Page, Some(5000), None)),
    ] {
        let policy = Policy::new(&config(base), flags, variable).unwrap().for_tool(server, tool, Profile::Cline);
        assert_eq!((policy.mode, policy.budget.chars, policy.budget.tokens), expected, "{server}.{tool} {variable:?}");
    }
    let policy = Policy::new(&config("{}"), &none, None).unwrap();
    assert_eq!(policy.for_tool("s", "t", policy.profile(Some("claude-code"))).budget.chars, Some(49_000));
    assert_eq!(policy.for_tool("s", "t", policy.profile(None)).budget.tokens, Some(20_000));
    let policy = Policy::new(&config("results: { profile: codex }"), &none, None).unwrap();
    assert_eq!(policy.profile(Some("claude-code")), Profile::Codex);
}

#[test]
fn a_budget_above_the_clients_own_is_warned_of() {
    let warning = |text: &str, profile| Policy::new(&yaml(text).unwrap(), &ResultFlags::default(), None).unwrap().warning(profile);
    assert_eq!(warning("{}", Profile::Cline), None);
    assert_eq!(warning("results: { budget: { chars: 7000 } }", Profile::Cline), None);
    assert_eq!(
        warning("results: { budget: { chars: 9000 } }", Profile::Cline).unwrap(),
        "the budget is above what cline takes (about 7800 characters): it may cut results a second time, without a way back"
    );
    assert!(warning("results: { budget: { tokens: 100000 } }", Profile::GeminiCli).is_some());
    assert!(warning("results: { budget: { tokens: 20000 } }", Profile::Codex).is_some());
    assert_eq!(warning("results: { budget: { tokens: 100000 } }", Profile::Generic), None);
}

#[test]
fn the_variable_for_tokens_must_be_a_budget() {
    for (value, expected) in [
        ("many", "SNUGFIT_MAX_TOKENS: expected a whole number of tokens, such as 20000"),
        ("-1", "SNUGFIT_MAX_TOKENS: expected a whole number of tokens, such as 20000"),
        ("100", "SNUGFIT_MAX_TOKENS: `tokens` is too small: a preview and its notice need at least 120"),
    ] {
        assert_eq!(Policy::new(&Config::default(), &ResultFlags::default(), Some(value)).unwrap_err().to_string(), expected);
    }
}
