//! One client over standard input and output.

use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::lines::{Line, Lines};
use crate::programs;
use crate::read;
use crate::rpc::{Message, code};
use crate::session::{Outlet, Session};
use crate::shared::Shared;

/// Messages that wait for a client that does not read; whoever has more waits.
const WAITING: usize = 32;

/// Serves one client until its input ends or `end` is there; calls under way come to their end.
pub(crate) async fn serve(shared: &Arc<Shared>, end: impl Future<Output = ()>) -> Result<(), Error> {
    let (input, output) = streams::open().map_err(|source| failed("standard input and output", source))?;
    let (out, writer, mut failure) = write_all(output);
    let programs = programs::open(shared).await?;
    let outlet = Outlet::Stream(out.clone());
    // Programs call at any time, whether there is a client or not.
    let session =
        if programs.is_some() { Session::for_everybody(shared, outlet, None, None)? } else { Session::start(shared, outlet, None)? };
    let programs = programs.map(|opened| opened.serve(&session));
    let mut lines = Lines::new(input, shared.config.limits.message_bytes.bytes());
    let mut end = std::pin::pin!(end);
    let mut outcome = tokio::select! {
        outcome = read_all(&mut lines, shared, &session, &out) => {
            // What was asked last is still answered, unless somebody is in a hurry.
            tokio::select! {
                () = session.drain() => {}
                () = &mut end => {}
            }
            outcome.map_err(|source| failed("standard input", source))
        }
        // Nothing that is asked could be answered.
        Ok(source) = &mut failure => Err(failed("standard output", source)),
        () = &mut end => {
            session.drain().await;
            Ok(())
        }
    };
    if let Some(programs) = programs {
        programs.close().await;
    }
    session.close().await;
    drop((session, out));
    // What was answered last is still on its way out.
    let _ = tokio::time::timeout(std::time::Duration::from_secs(2), writer).await;
    if let Ok(source) = failure.try_recv() {
        outcome = outcome.and(Err(failed("standard output", source)));
    }
    outcome
}

fn failed(what: &str, source: io::Error) -> Error {
    Error::Io { what: what.to_owned(), source }
}

async fn read_all<R: AsyncRead + Unpin>(
    lines: &mut Lines<R>,
    shared: &Shared,
    session: &Arc<Session>,
    out: &mpsc::Sender<String>,
) -> io::Result<()> {
    loop {
        let line = match lines.next().await? {
            Some(Line::Whole(line)) => line,
            Some(Line::TooLong(..)) => {
                let why = format!("the message is larger than {}", shared.config.limits.message_bytes);
                let _ = out.send(Message::failure("null", &Message::error(code::INVALID_REQUEST, &why))).await;
                continue;
            }
            Some(Line::Broken(_)) | None => return Ok(()),
        };
        for message in read::messages(line, &shared.work).await {
            match message {
                Ok(message) => session.receive(message).await,
                Err(why) => drop(out.send(Message::failure("null", &Message::error(code::PARSE, &why))).await),
            }
        }
    }
}

/// Writes messages, a line each, until there is nobody left to send any, or to read any. What else keeps it from writing is told.
fn write_all(mut output: impl AsyncWrite + Unpin + Send + 'static) -> (mpsc::Sender<String>, JoinHandle<()>, oneshot::Receiver<io::Error>) {
    let (out, mut messages) = mpsc::channel::<String>(WAITING);
    let (failed, failure) = oneshot::channel();
    let writer = tokio::spawn(async move {
        while let Some(mut message) = messages.recv().await {
            if message.contains('\n') {
                // Only white space between tokens can be one: strings escape theirs.
                message = message.replace(['\n', '\r'], " ");
            }
            message.push('\n');
            let written = async {
                output.write_all(message.as_bytes()).await?;
                output.flush().await
            };
            match written.await {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                Err(error) => {
                    let _ = failed.send(error);
                    break;
                }
            }
        }
    });
    (out, writer, failure)
}

/// Standard input and output without a thread in between, where they are pipes or sockets, as clients make them.
#[cfg(unix)]
mod streams {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    type Input = Box<dyn AsyncRead + Unpin + Send>;
    type Output = Box<dyn AsyncWrite + Unpin + Send>;

    pub(super) fn open() -> io::Result<(Input, Output)> {
        let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let errors = File::from(io::stderr().as_fd().try_clone_to_owned()?).metadata()?;
        let kind = input.metadata()?.file_type();
        let input: Input = if kind.is_fifo() {
            Box::new(pipe::Receiver::from_file(input)?)
        } else if kind.is_socket() {
            Box::new(socket(input)?)
        } else {
            Box::new(tokio::io::stdin())
        };
        let metadata = output.metadata()?;
        // What is said on stderr blocks, so a stream that is both must.
        let shared = (metadata.dev(), metadata.ino()) == (errors.dev(), errors.ino());
        let kind = metadata.file_type();
        let output: Output = if kind.is_fifo() && !shared {
            Box::new(pipe::Sender::from_file(output)?)
        } else if kind.is_socket() && !shared {
            Box::new(socket(output)?)
        } else {
            Box::new(tokio::io::stdout())
        };
        Ok((input, output))
    }

    fn socket(file: File) -> io::Result<UnixStream> {
        let socket = std::os::unix::net::UnixStream::from(OwnedFd::from(file));
        socket.set_nonblocking(true)?;
        UnixStream::from_std(socket)
    }
}

#[cfg(not(unix))]
mod streams {
    use std::io;

    pub(super) fn open() -> io::Result<(tokio::io::Stdin, tokio::io::Stdout)> {
        Ok((tokio::io::stdin(), tokio::io::stdout()))
    }
}
