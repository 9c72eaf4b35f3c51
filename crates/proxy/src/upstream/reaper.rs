//! No orphans: a small process that ends the process groups of our servers once we are gone, however we went.

use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Mutex;

use crate::sync::lock;

/// Reads which groups live, one `+ GROUP` or `- GROUP` a line. When there is nobody left to write to it, it ends those that still do: they
/// have a second to see that their input is closed, and one more to clean up.
const SCRIPT: &str = r#"
live=' '
while read -r op group; do
  case $op in
    +) live="$live$group " ;;
    -) live="${live%%" $group "*} ${live#*" $group "}" ;;
  esac
done
[ -n "${live# }" ] || exit 0
sleep 1
for signal in TERM KILL; do
  for group in $live; do kill -s "$signal" -- "-$group" 2>/dev/null; done
  sleep 1
done
"#;

/// The watcher, started with the first server.
#[derive(Debug, Default)]
pub(crate) struct Reaper {
    input: Mutex<Option<ChildStdin>>,
}

impl Reaper {
    /// Watches over a process group from now on.
    pub(crate) fn watch(&self, group: u32) {
        self.tell('+', group);
    }

    /// The group is gone.
    pub(crate) fn forget(&self, group: u32) {
        self.tell('-', group);
    }

    fn tell(&self, op: char, group: u32) {
        let mut input = lock(&self.input);
        if input.is_none() {
            *input = start();
        }
        if let Some(pipe) = input.as_mut()
            && writeln!(pipe, "{op} {group}").is_err()
        {
            // Somebody ended the watcher: a new one knows of later servers only, which beats none.
            *input = None;
        }
    }
}

#[cfg(unix)]
fn start() -> Option<ChildStdin> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // A group of its own, so that what ends ours does not end it.
    command.process_group(0).spawn().ok()?.stdin
}

#[cfg(not(unix))]
fn start() -> Option<ChildStdin> {
    None
}
