//! The bridge: what generated programs ask over HTTP on loopback. It keeps the contract of the npm package's bridge, under the name of each
//! program: `POST /NAME/exec`, `POST /NAME/cli`, `GET /health`.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use axum::http::{Method, Response, StatusCode};
use serde_json::json;
use snugfit_toolset::argv::Parsed;
use snugfit_toolset::input::prepare;
use snugfit_toolset::names::excerpt;
use tokio::time::timeout;

use super::{Place, Program};
use crate::inbound::{Fault, Received, is_loopback, read_body};
use crate::list::ToolTable;
use crate::random::is_same;
use crate::results::{Form, Given};
use crate::rpc::Object;
use crate::session::Session;

/// Bytes of a request, and of an answer.
const MOST: usize = 64 << 20;
/// The longest that a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

struct Bridge {
    session: Arc<Session>,
    authorization: String,
}

/// What answers programs.
pub(super) fn router(session: &Arc<Session>, place: &Place) -> Router {
    let authorization = format!("Bearer {}", place.token);
    Router::new().fallback(answer).with_state(Arc::new(Bridge { session: Arc::clone(session), authorization }))
}

async fn answer(State(bridge): State<Arc<Bridge>>, request: Request) -> Response<Body> {
    let (parts, mut body) = request.into_parts();
    let path = parts.uri.path();
    if let Some(refused) = bridge.refuse(&parts.headers, &parts.method, path) {
        return refused;
    }
    let body = match timeout(PATIENCE, read_body(&mut body, MOST, bridge.session.work())).await {
        Ok(Ok(received)) => received,
        Ok(Err(Fault::Large)) => {
            // A program that still sends would not see the answer.
            let _ = timeout(PATIENCE, drain(body)).await;
            let why = format!("nothing was run: the request has more than the {MOST} bytes that the bridge takes; send less at a time");
            return failure(StatusCode::PAYLOAD_TOO_LARGE, &why, Some("REQUEST_TOO_LARGE"));
        }
        Ok(Err(Fault::Busy)) => {
            return failure(StatusCode::SERVICE_UNAVAILABLE, "too many large requests at a time: send it again a little later", None);
        }
        Ok(Err(Fault::Broken)) => return failure(StatusCode::BAD_REQUEST, "the request broke off", None),
        Err(_) => return failure(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive", None),
    };
    let table = match bridge.session.tools().await {
        Ok(table) => table,
        Err(why) => return failure(StatusCode::INTERNAL_SERVER_ERROR, &why, Some("INTERNAL")),
    };
    let named = path.strip_prefix('/').and_then(|path| path.split_once('/'));
    let found = named.and_then(|(name, route)| Some((table.programs.iter().position(|program| program.name == name)?, route)));
    match found {
        Some((program, "exec")) if parts.method == Method::POST => bridge.exec(&table, program, body).await,
        Some((program, "cli")) if parts.method == Method::POST && table.programs[program].command().is_some() => {
            bridge.cli(&table, program, body).await
        }
        _ => failure(StatusCode::NOT_FOUND, "there are POST /NAME/exec, POST /NAME/cli of commands, and GET /health", None),
    }
}

/// Reads a body to its end, and drops it.
async fn drain(mut body: Body) {
    while poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await.is_some_and(|frame| frame.is_ok()) {}
}

impl Bridge {
    /// The answer to a request that is not let in, or asks for health alone; decided before its body is read.
    fn refuse(&self, headers: &HeaderMap, method: &Method, path: &str) -> Option<Response<Body>> {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default();
        if !is_loopback(text(HOST)) {
            return Some(failure(StatusCode::FORBIDDEN, "the Host must be loopback", None));
        }
        if headers.contains_key(ORIGIN) {
            return Some(failure(StatusCode::FORBIDDEN, "requests of web pages (with an Origin) are refused", None));
        }
        if method == Method::GET && path == "/health" {
            return Some(respond(StatusCode::OK, "application/json", r#"{"ok":true}"#.to_owned()));
        }
        if !is_same(&self.authorization, text(AUTHORIZATION)) {
            return Some(failure(StatusCode::UNAUTHORIZED, "the bearer token is missing or wrong", None));
        }
        if self.session.is_ending() {
            return Some(failure(StatusCode::SERVICE_UNAVAILABLE, "the session is closed", None));
        }
        None
    }

    /// Runs a tool for a function of a module.
    async fn exec(&self, table: &Arc<ToolTable>, program: usize, body: Received) -> Response<Body> {
        let (asked, server) = (Arc::clone(table), table.programs[program].server);
        let (tool, input, form) = match self.taken_apart(body, move |body| call_in(&asked.programs[program], body)).await {
            Ok(Ok(call)) => call,
            Ok(Err(Mistake { status, why, code })) => return failure(status, &why, Some(code)),
            Err(why) => return failure(StatusCode::INTERNAL_SERVER_ERROR, &why, Some("INTERNAL")),
        };
        match self.session.run_for_program(server, &tool, &input, form).await {
            Given::Result(result) => sized(json!({ "result": result }).to_string()),
            Given::Failed { message, code } => {
                let status = if code == Some("INVALID_INPUT") { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
                failure(status, &message, code)
            }
            Given::Preview { preview, notice } => {
                let error = format!("the result is only a preview: {}", notice["message"].as_str().unwrap_or_default());
                let body = json!({ "error": error, "code": "PREVIEW", "notice": notice, "preview": preview });
                respond(StatusCode::INTERNAL_SERVER_ERROR, "application/json", body.to_string())
            }
        }
    }

    /// Runs a command line. The answer's last character is the exit code: the client has nothing but a shell to take it apart with.
    async fn cli(&self, table: &Arc<ToolTable>, program: usize, body: Received) -> Response<Body> {
        let (asked, server) = (Arc::clone(table), table.programs[program].server);
        let parsed = self.taken_apart(body, move |form| {
            let fields: Vec<(Cow<'_, str>, Cow<'_, str>)> = form_urlencoded::parse(form.as_bytes()).collect();
            let args: Vec<String> = fields.iter().filter(|(name, _)| name == "arg").map(|(_, value)| value.clone().into_owned()).collect();
            let stdin = fields.iter().find(|(name, _)| name == "stdin").map(|(_, value)| value.as_ref());
            asked.programs[program].command().map(|command| command.parse(&args, stdin))
        });
        let (text, code) = match parsed.await {
            Ok(Some(Parsed::Help(text))) => (text, 0),
            Ok(Some(Parsed::Usage(mistake))) => (format!("{mistake}\n"), 2),
            Ok(Some(Parsed::Call { tool, input })) => match self.session.run_for_program(server, &tool, &input, Form::Text).await {
                Given::Result(text) | Given::Preview { preview: text, .. } => (text, 0),
                Given::Failed { message, .. } => (format!("{message}\n"), 1),
            },
            Ok(None) => ("there is no such command\n".to_owned(), 1),
            Err(why) => (format!("{why}\n"), 1),
        };
        let (text, code) = if text.len() > MOST { (format!("{}\n", too_large(text.len())), 1) } else { (text, code) };
        respond(StatusCode::OK, "text/plain", format!("{text}{code}"))
    }

    /// What `read` makes of a body: on a blocking thread where that is large. Its memory is free for others then: a call may take long.
    async fn taken_apart<T: Send + 'static>(&self, body: Received, read: impl FnOnce(&str) -> T + Send + 'static) -> Result<T, String> {
        let size = body.bytes.len();
        let job = move || {
            let Received { bytes, memory: _held } = body;
            read(&String::from_utf8_lossy(&bytes))
        };
        self.session.work().sized(size, job).await
    }
}

/// Why nothing is run.
struct Mistake {
    status: StatusCode,
    why: String,
    code: &'static str,
}

/// The tool that a function of a module calls, as its server names it, the input for it, and the form of the result.
fn call_in(program: &Program, body: &str) -> Result<(String, String, Form), Mistake> {
    let invalid = |why: String| Mistake { status: StatusCode::BAD_REQUEST, why, code: "INVALID_INPUT" };
    let call = Object::parse(body).ok();
    let Some((call, name)) = call.as_ref().and_then(|call| Some((call, call.str("tool")?))) else {
        return Err(invalid("the body must be {\"tool\": name, \"input\": {…}}".to_owned()));
    };
    let Some(tool) = program.tool(&name) else {
        let why = format!("there is no tool {:?}", excerpt(&name));
        return Err(Mistake { status: StatusCode::NOT_FOUND, why, code: "UNKNOWN_TOOL" });
    };
    let input = prepare(tool, call.get("input").unwrap_or_default()).map_err(|error| invalid(error.to_string()))?;
    let form = if call.str("format").as_deref() == Some("json") { Form::Typed } else { Form::Text };
    Ok((tool.name.clone(), input, form))
}

fn too_large(bytes: usize) -> String {
    format!("the tool has run, but its answer has {bytes} bytes, and the bridge gives {MOST}; ask for less at a time")
}

fn sized(body: String) -> Response<Body> {
    if body.len() > MOST {
        return failure(StatusCode::INTERNAL_SERVER_ERROR, &too_large(body.len()), Some("ANSWER_TOO_LARGE"));
    }
    respond(StatusCode::OK, "application/json", body)
}

fn failure(status: StatusCode, message: &str, code: Option<&str>) -> Response<Body> {
    let mut body = json!({ "error": message });
    if let Some(code) = code {
        body["code"] = code.into();
    }
    respond(status, "application/json", body.to_string())
}

fn respond(status: StatusCode, kind: &str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(&format!("{kind}; charset=utf-8")) {
        headers.insert(CONTENT_TYPE, kind);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
