//! Every mistake is told with its place, and what it quotes is no secret.

use snugfit_proxy::config::Format;

use super::{read, yaml};

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
