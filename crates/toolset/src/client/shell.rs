//! The command of a session for shells: a POSIX `sh` script, or a `.cmd` for Windows.
//!
//! It sends its arguments, form-encoded, to the bridge's `/cli` and prints the answer, whose last character is the exit code; 0 goes to
//! stdout, the others to stderr. It needs `curl`, `python3` or `node`, whichever is there, and nothing else: a sandbox may have no `cat`.
//! The token is in a file of its own that only the owner can read, in the form of curl's `-K`, never on a command line.

use super::{Bridge, File};

/// The files of the command `name`, which must be fit for a shell (see [`crate::names::command`]).
#[must_use]
pub fn files(name: &str, bridge: &Bridge, windows: bool) -> Vec<File> {
    let secrets = format!(".{name}.conf");
    let closed = format!("{name}: no answer from its session, which is closed or was started elsewhere. Its host has to start it again.");
    let client = if windows {
        File { path: format!("{name}.cmd"), content: cmd(name, &secrets, &closed), mode: 0o700 }
    } else {
        File { path: name.to_owned(), content: sh(name, &secrets, &closed), mode: 0o700 }
    };
    let content = format!("url = \"{}/cli\"\nheader = \"Authorization: Bearer {}\"\n", bridge.url, bridge.token);
    vec![client, File { path: secrets, content, mode: 0o600 }]
}

fn sh(name: &str, secrets: &str, closed: &str) -> String {
    let fill = |text: &str| text.replace("@name@", name).replace("@secrets@", secrets).replace("@closed@", closed);
    fill(SH).replace("@python@", &fill(PYTHON)).replace("@node@", &fill(NODE))
}

/// In a batch file the programs stand on one line each, in double quotes, so they are written without any.
fn cmd(name: &str, secrets: &str, closed: &str) -> String {
    let node = NODE.replace("@closed@", closed).lines().map(str::trim).collect::<Vec<_>>().join(" ");
    CMD.replace("@node@", &node).replace("@name@", name).replace("@secrets@", secrets).replace('\n', "\r\n")
}

const SH: &str = r#"#!/bin/sh
# @name@: the tools of a snugfit session; `@name@ --help` lists them. Generated: it sends its arguments to the session's bridge.
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
secrets=$here/@secrets@

if command -v curl >/dev/null 2>&1; then
  before= stdin=
  for arg do
    shift
    set -- "$@" --data-urlencode "arg=$arg"
    case $before,$arg in --json,- | *,--json=-) stdin=1 ;; esac
    before=$arg
  done
  [ -z "$stdin" ] || set -- "$@" --data-urlencode stdin@-
  answer=$(curl -q -s --noproxy '*' --connect-timeout 10 -K "$secrets" --data '' "$@")
  case $answer in
    *0) printf %s "${answer%?}" ;;
    *1) printf %s "${answer%?}" >&2; exit 1 ;;
    *2) printf %s "${answer%?}" >&2; exit 2 ;;
    *) printf '%s\n' '@closed@' >&2; exit 1 ;;
  esac
elif command -v python3 >/dev/null 2>&1; then
  exec python3 -I -c '@python@' "$secrets" "$@"
elif command -v node >/dev/null 2>&1; then
  exec node -e '@node@' -- "$secrets" "$@"
else
  printf '%s\n' '@name@: needs curl, python3 or node on the PATH' >&2
  exit 1
fi
"#;

const PYTHON: &str = r#"
import json, os, sys, urllib.error, urllib.parse, urllib.request
with open(sys.argv[1]) as file:
    conf = dict(line.strip().split(" = ", 1) for line in file)
args = sys.argv[2:]
form = [("arg", os.fsencode(arg)) for arg in args]
if "--json=-" in args or ("--json", "-") in zip(args, args[1:]):
    form.append(("stdin", sys.stdin.buffer.read()))
header, value = json.loads(conf["header"]).split(": ", 1)
request = urllib.request.Request(json.loads(conf["url"]), urllib.parse.urlencode(form).encode(), {header: value})
try:
    answer = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
except urllib.error.HTTPError as error:
    answer = error.read()
except OSError:
    answer = b""
if answer[-1:] not in (b"0", b"1", b"2"):
    answer = b"@closed@\n1"
(sys.stdout if answer.endswith(b"0") else sys.stderr).buffer.write(answer[:-1])
sys.exit(int(answer[-1:]))
"#;

const NODE: &str = r"
const fs = require(`fs`);
const [file, ...args] = process.argv.slice(1);
const lines = fs.readFileSync(file, `utf8`).trim().split(/\r?\n/);
const conf = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(` `)), JSON.parse(line.slice(line.indexOf(`=`) + 1))]));
const form = new URLSearchParams(args.map((arg) => [`arg`, arg]));
if (args.some((arg, at) => arg === `--json=-` || (arg === `-` && args[at - 1] === `--json`))) form.append(`stdin`, fs.readFileSync(0, `utf8`));
const [header, value] = conf.header.split(`: `);
const finish = (answer) => {
  const whole = /[012]$/.test(answer) ? answer : `@closed@\n1`;
  process.exitCode = Number(whole.slice(-1));
  (process.exitCode === 0 ? process.stdout : process.stderr).write(whole.slice(0, -1));
};
const request = require(`http`).request(conf.url, { method: `POST`, headers: { [header]: value, [`content-type`]: `application/x-www-form-urlencoded` } });
request.on(`error`, () => finish(``));
request.on(`response`, (response) => {
  const parts = [];
  response.on(`data`, (part) => parts.push(part));
  response.on(`error`, () => finish(``));
  response.on(`end`, () => finish(Buffer.concat(parts).toString()));
});
request.end(form.toString());
";

const CMD: &str = r#"@echo off
rem @name@: the tools of a snugfit session; "@name@ --help" lists them. Generated: it sends its arguments to the session's bridge.
setlocal DisableDelayedExpansion
where node >nul 2>nul
if errorlevel 1 (
  echo @name@: needs node on the PATH 1>&2
  exit /b 1
)
node -e "@node@" -- "%~dp0@secrets@" %*
exit /b %errorlevel%
"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn bridge() -> Bridge {
        Bridge { url: "http://127.0.0.1:40123".into(), token: "t0ken".into() }
    }

    #[test]
    fn the_token_is_in_a_private_file_alone() {
        for windows in [false, true] {
            let [client, secrets] = &files("inventory", &bridge(), windows)[..] else { panic!("two files") };
            assert_eq!((client.mode, secrets.mode), (0o700, 0o600));
            assert!(!client.content.contains("t0ken") && !client.content.contains("40123"), "{}", client.content);
            assert_eq!(secrets.path, ".inventory.conf");
            assert_eq!(secrets.content, "url = \"http://127.0.0.1:40123/cli\"\nheader = \"Authorization: Bearer t0ken\"\n");
            for hole in ["@name@", "@secrets@", "@closed@", "@node@", "@python@"] {
                assert!(!client.content.contains(hole), "{hole} in {}", client.content);
            }
        }
        assert!(!format!("{:?}", bridge()).contains("t0ken"));
    }

    #[test]
    fn programs_hold_no_quote_of_the_file_that_they_stand_in() {
        assert!(!PYTHON.contains('\'') && !NODE.contains('\''), "they stand in single quotes in sh");
        assert!(!NODE.contains(['"', '%', '!']), "it stands in double quotes in a batch file");
    }

    #[test]
    fn a_batch_file_has_the_line_ends_of_windows_and_its_program_on_one() {
        let content = files("inventory", &bridge(), true).remove(0).content;
        assert_eq!(content.matches('\n').count(), content.matches("\r\n").count());
        assert_eq!(content.lines().filter(|line| line.contains("require(")).count(), 1);
    }
}
