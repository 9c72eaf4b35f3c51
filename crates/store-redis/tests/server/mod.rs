//! A Redis of our own on the loopback interface, which keeps everything in memory.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use redis::FromRedisValue;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    options: Vec<String>,
    process: Option<Child>,
}

/// The program; `None`, and a line that says so, where there is none.
fn program() -> Option<&'static str> {
    let found = ["redis-server", "valkey-server"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success()));
    if found.is_none() {
        // Not by a macro: of a test that passes, what those print is not shown.
        let _ = writeln!(io::stderr(), "skipped: {}: redis-server is not installed", thread::current().name().unwrap_or_default());
    }
    found
}

impl Server {
    /// A server with more options; `None` where the program is not there.
    pub(crate) fn start(options: &[&str]) -> Option<Self> {
        program()?;
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port();
        let mut server = Self { port, options: options.iter().map(|&option| option.to_owned()).collect(), process: None };
        server.restart();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Starts the process, and waits until it can be reached.
    pub(crate) fn restart(&mut self) {
        let mut command = Command::new(program().expect("it was there"));
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port", &self.port.to_string()]).args(&self.options);
        self.process = Some(command.stdout(Stdio::null()).spawn().expect("it starts"));
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends the process as a crash would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().and_then(|()| process.wait()).expect("it was running");
        }
    }

    /// Holds the process still: it keeps its connections, and answers nothing.
    pub(crate) fn freeze(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.process.as_ref().expect("it runs").id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill").success());
    }

    /// Sends one command on a connection of its own.
    pub(crate) async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).expect("an address");
        let mut connection = client.get_multiplexed_async_connection().await.expect("a connection");
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query_async(&mut connection).await.expect("an answer")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
