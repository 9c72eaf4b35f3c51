//! The proxy inside a program, in front of a real MCP server (the scripted one of the tests of the command, run by Node).

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use snugfit_proxy::config::{Compression, Config, Transport};
use snugfit_proxy::log::{Level, Log};
use snugfit_proxy::{Builder, CallResult, Error, Proxy};

fn scripted() -> Transport {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../__test__/proxy/scripted-server.mjs");
    Transport::program("node", vec![server.to_string_lossy().into_owned()])
}

fn builder() -> Builder {
    Proxy::builder().server("scripted", scripted()).log(Log::new(Level::Off))
}

fn text(result: &CallResult) -> String {
    result.text().expect("a text")
}

/// The preview of a long result.
async fn preview(proxy: &Proxy, input: &Value) -> CallResult {
    let preview = proxy.invoke("scripted", "big", input).await.expect("a result");
    assert!(text(&preview).chars().count() <= 20_000 && text(&preview).contains("\"complete\":false"), "{}", text(&preview));
    preview
}

#[tokio::test]
async fn a_result_is_a_preview_and_in_full_the_whole() {
    let proxy = builder().shrinkfit(20_000).build().expect("a proxy");
    let input = json!({ "n": 1000 });
    let first = preview(&proxy, &input).await;
    let original = proxy.invoke_with_full("scripted", "big", &input, true).await.expect("the original");
    let whole: Value = serde_json::from_str(&text(&original)).expect("JSON");
    assert_eq!((whole["records"].as_array().map(Vec::len), &whole["total"]), (Some(1000), &json!(1000)));
    // The order of keys makes no other call, and the preview is a function of the result.
    assert_eq!(preview(&proxy, &input).await, first);
    proxy.close().await;
}

#[tokio::test]
async fn in_full_the_server_is_called_again_only_where_nothing_is_kept() {
    let proxy = builder().shrinkfit(2000).build().expect("a proxy");
    // Two answers of this tool are never the same: what comes back in full is what was shortened.
    let shortened = proxy.invoke("scripted", "stamp", &json!({ "a": 1, "b": 2 })).await.expect("a result");
    let stamp = |result: &CallResult| text(result).split(' ').next().map(str::to_owned);
    let full = proxy.invoke_with_full("scripted", "stamp", &json!({ "b": 2, "a": 1 }), true).await.expect("the original");
    assert_eq!(stamp(&full), stamp(&shortened));
    assert!(text(&full).len() > 10_000);
    let other = proxy.invoke_with_full("scripted", "stamp", &json!({ "a": 2 }), true).await.expect("a new one");
    assert_ne!(stamp(&other), stamp(&shortened));
    proxy.close().await;
}

#[tokio::test]
async fn what_is_listed_can_be_called_and_recovered() {
    for compression in [Compression::Off, Compression::High] {
        let proxy = builder().compression(compression).shrinkfit(2000).build().expect("a proxy");
        let names: Vec<String> = proxy
            .tools()
            .await
            .expect("a list")
            .iter()
            .filter_map(|tool| Some(serde_json::from_str::<Value>(tool).ok()?["name"].as_str()?.to_owned()))
            .collect();
        let big = if compression == Compression::Off {
            assert!(names.contains(&"big".to_owned()), "{names:?}");
            proxy.call("big", &json!({})).await
        } else {
            assert!(names.contains(&"invoke_tool".to_owned()) && !names.contains(&"big".to_owned()), "{names:?}");
            proxy.call("invoke_tool", &json!({ "tool_name": "big", "tool_input": {} })).await
        };
        let notice: Value = serde_json::from_str(&text(&big.expect("a result"))).expect("JSON");
        let id = &notice["truncation"]["response_id"];
        assert!(names.contains(&"compressor_recover_response".to_owned()), "{names:?}");
        let part = proxy.call("compressor_recover_response", &json!({ "response_id": id, "path": "/records/999/title" })).await;
        assert!(text(&part.expect("a part")).contains("Record 999"));
        proxy.close().await;
    }
}

#[tokio::test]
async fn mistakes_are_told() {
    let config: Config = serde_json::from_value(json!({ "filters": { "deny": ["*.echo"] } })).expect("a configuration");
    let proxy = Proxy::builder().config(config).server("scripted", scripted()).log(Log::new(Level::Off)).build().expect("a proxy");
    let nothing = json!({});
    for (server, tool, said) in [
        ("other", "big", "there is no server other; there are scripted"),
        ("scripted", "echo", "there is no tool echo"),
        ("scripted", "no-such-tool", "unknown tool no-such-tool"),
        ("scripted", "refuse", "refused"),
    ] {
        let error = proxy.invoke(server, tool, &nothing).await.expect_err(tool);
        assert!(matches!(&error, Error::Call(why) if why.contains(said)), "{error}");
    }
    assert!(proxy.invoke("scripted", "fail", &json!({ "n": 1 })).await.expect("a result").is_error());
    proxy.close().await;
    // It may be used again.
    assert!(!proxy.invoke("scripted", "log", &nothing).await.expect("a result").is_error());
    drop(proxy);

    for (builder, said) in
        [(Proxy::builder(), "there is no server"), (builder().shrinkfit(1023), "1023 characters are too few; the least is 1024")]
    {
        let error = builder.build().err().expect(said);
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn calls_may_run_at_once() {
    let proxy = Arc::new(builder().build().expect("a proxy"));
    let call = |n: usize| {
        let proxy = Arc::clone(&proxy);
        tokio::spawn(async move { proxy.invoke("scripted", "echo", &json!({ "n": n })).await })
    };
    for (n, call) in (0..20).map(call).collect::<Vec<_>>().into_iter().enumerate() {
        let result = call.await.expect("no panic").expect("a result");
        assert_eq!(text(&result), format!("{{\"n\":{n}}}"));
    }
    proxy.close().await;
}
