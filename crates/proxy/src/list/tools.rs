//! The tools of all servers as one list.

use std::collections::HashMap;

use super::compressed::{self, Group, Wrapper};
use super::gather::Entries;
use super::pages::Pages;
use super::programs::{definitions, programs};
use super::shrink::Shrinker;
use crate::config::{Compression, Config, Definitions, List, Mode, Structured, SurfaceKind, ToolPolicy};
use crate::filter::Filter;
use crate::mirror::{Mirrors, mirrored};
use crate::names::{Names, exposed};
use crate::programs::{Place, Program};
use crate::recovery;
use crate::results::Rules;
use crate::rpc::{Object, quote};

/// What a client sees of tools, and what each name stands for.
#[derive(Debug, Default)]
pub(crate) struct ToolTable {
    pub(crate) pages: Pages,
    /// The tools by their exposed names, those behind wrappers included.
    pub(crate) names: Names,
    /// What the recovery tool is called; `None` where results are left alone.
    pub(crate) recovery: Option<String>,
    /// Tools that stand for others.
    pub(crate) wrappers: HashMap<String, (usize, Wrapper)>,
    pub(crate) groups: Vec<Group>,
    /// Programs in the place of the tools.
    pub(crate) programs: Vec<Program>,
    /// Tools that take a cursor of ours.
    pub(crate) paged: std::collections::HashSet<String>,
    /// The arguments that clients over HTTP repeat in headers.
    pub(crate) mirrors: Mirrors,
    /// What a user should know.
    pub(crate) warnings: Vec<String>,
    /// Bytes that each server's part of the list was made smaller by.
    pub(crate) saved: Vec<usize>,
}

impl ToolTable {
    /// The tool that runs others, where there is one.
    pub(crate) fn invoke_tool(&self) -> Option<&str> {
        self.wrappers.iter().find(|(_, (_, wrapper))| *wrapper == Wrapper::Invoke).map(|(name, _)| name.as_str())
    }

    /// Whether a name stands for anything.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.get(name).is_some()
            || self.wrappers.contains_key(name)
            || self.recovery.as_deref() == Some(name)
            || self.program(name).is_some()
    }

    /// The program that a tool tells of.
    pub(crate) fn program(&self, help_tool: &str) -> Option<&Program> {
        self.programs.iter().find(|program| program.help_tool() == help_tool)
    }
}

/// What the list is made with.
pub(crate) struct Setting<'a> {
    pub(crate) list: &'a List,
    pub(crate) filter: &'a Filter,
    /// Names and own compression of the servers.
    pub(crate) servers: Vec<(&'a str, Option<Compression>, Option<Definitions>)>,
    /// What stands between server and name; `None` leaves names as they are.
    pub(crate) separator: Option<&'a str>,
    /// What stands before the wrappers of all.
    pub(crate) prefix: &'a str,
    pub(crate) rules: &'a Rules,
    pub(crate) cursor_param: &'a str,
    /// What stands in the place of the tools, and where.
    pub(crate) programs: Option<(SurfaceKind, &'a Place)>,
    /// Keep the file of descriptions up to date.
    pub(crate) keeps_cache: bool,
}

impl<'a> Setting<'a> {
    /// What a configuration says of the list.
    pub(crate) fn new(config: &'a Config, filter: &'a Filter, rules: &'a Rules) -> Self {
        let servers: Vec<_> =
            config.active().map(|(name, server)| (name.as_str(), server.list.compression, server.list.definitions)).collect();
        let separator = config.separator();
        let prefix = match &servers[..] {
            [(only, ..)] if separator.is_some() => only,
            _ => "",
        };
        let cursor_param = &config.results.cursor_param;
        Self { list: &config.list, filter, servers, separator, prefix, rules, cursor_param, programs: None, keeps_cache: true }
    }
}

/// The recovery tool's name, unless a tool of that name is there already.
const RECOVERY: &str = snugfit_recovery::RECOVERY_TOOL;

/// One tool of a server.
struct Listed<'a> {
    server: usize,
    name: String,
    json: &'a str,
    rules: ToolPolicy,
}

/// Makes the table. Not for the threads that move messages: it reads all definitions, and the file of descriptions.
pub(crate) fn build(setting: &Setting<'_>, lists: &[Entries]) -> ToolTable {
    let mut warnings = Vec::new();
    let mut shrinker = Shrinker::new(setting, &mut warnings);
    let mut listed: Vec<Listed<'_>> = Vec::new();
    let mut left_out = None;
    for (server, entries) in lists.iter().enumerate() {
        let server_name = setting.servers[server].0;
        let mut seen = std::collections::HashSet::new();
        for json in entries.iter() {
            let name = Object::parse(json).ok().and_then(|tool| tool.str("name").map(std::borrow::Cow::into_owned));
            match name {
                None => warnings.push(format!("{server_name}: lists a tool without a name")),
                Some(name) if !setting.filter.allows(server_name, &name) => left_out = Some((server_name, name)),
                Some(name) if !seen.insert(name.clone()) => warnings.push(format!("{server_name}: lists two tools {name:?}")),
                Some(name) => {
                    let rules = setting.rules.of(server_name, &name);
                    listed.push(Listed { server, name, json, rules });
                }
            }
        }
    }
    // Mostly the patterns lack the server's name.
    if let Some((server, tool)) = left_out.filter(|_| listed.is_empty() && setting.filter.selects()) {
        warnings.push(format!("the filters allow no tool: patterns match the server and the tool, such as \"{server}.{tool}\""));
    }
    if let Some((kind, place)) = setting.programs {
        let servers: Vec<&str> = setting.servers.iter().map(|(name, ..)| *name).collect();
        let tools = listed.iter().filter_map(|tool| Some((tool.server, compressed::tool(&tool.name, tool.json)?))).collect();
        let programs = programs(kind, &servers, tools);
        let shown = definitions(&programs, place);
        warnings.extend(place.write(&programs).err());
        return ToolTable { pages: Pages::new("tools", &shown), programs, warnings, saved: saved(lists, &shown), ..ToolTable::default() };
    }
    let pairs: Vec<(&str, &str)> = listed.iter().map(|tool| (setting.servers[tool.server].0, tool.name.as_str())).collect();
    let names = exposed(&pairs, setting.separator, &[]);
    let table = Names::new(names.iter().zip(&listed).map(|(exposed, tool)| (exposed.clone(), tool.server, tool.name.clone())));
    let recovery = listed.iter().any(|tool| tool.rules.mode != Mode::Off).then(|| free(RECOVERY, &names));

    let pages: Vec<Option<String>> = listed.iter().map(|tool| page_parameter(setting, tool, &mut warnings)).collect();
    let defined = listed.iter().zip(&pages).map(|(tool, paged)| paged.as_deref().unwrap_or(tool.json));
    let groups = compressed::groups(
        setting,
        &listed.iter().zip(&names).zip(defined).map(|((tool, exposed), json)| (tool.server, exposed.as_str(), json)),
        &mut warnings,
    );
    let mut shown: Vec<String> = Vec::new();
    let (mut wrappers, mut mirrors) = (HashMap::new(), Mirrors::new());
    for (at, group) in groups.iter().enumerate() {
        if group.listed {
            shown.extend(group.definitions.iter().cloned());
        }
        wrappers.extend(group.names.iter().map(|(name, wrapper)| (name.clone(), (at, *wrapper))));
    }
    for ((tool, exposed), paged) in listed.iter().zip(&names).zip(&pages) {
        if !groups.iter().any(|group| group.listed && group.servers.contains(&tool.server)) {
            let definition = define(setting, &mut shrinker, tool, exposed, paged.is_some());
            // Clients leave one out that is written wrongly.
            if let Ok(mirrored) = mirrored(&definition)
                && !mirrored.is_empty()
            {
                mirrors.insert(exposed.clone(), mirrored);
            }
            shown.push(definition);
        }
    }
    let paged = names.iter().zip(&pages).filter(|(_, paged)| paged.is_some()).map(|(exposed, _)| exposed.clone()).collect();
    shrinker.finish(&mut warnings);
    if let Some(name) = &recovery {
        shown.push(recovery::definition(name));
    }
    let saved = saved(lists, &shown);
    ToolTable {
        pages: Pages::new("tools", &shown),
        names: table,
        recovery,
        wrappers,
        groups,
        programs: Vec::new(),
        paged,
        mirrors,
        warnings,
        saved,
    }
}

/// What each server's part was made smaller by: wrappers stand for several servers, so each has its share of the whole by what it lists itself.
fn saved(lists: &[Entries], shown: &[String]) -> Vec<usize> {
    let raw: Vec<usize> = lists.iter().map(|entries| entries.iter().map(String::len).sum()).collect();
    let all: usize = raw.iter().sum();
    let less = all.saturating_sub(shown.iter().map(String::len).sum());
    raw.iter().map(|own| if all == 0 { 0 } else { (less as u128 * *own as u128 / all as u128) as usize }).collect()
}

/// A name that nobody has.
fn free(wanted: &str, taken: &[String]) -> String {
    let numbered = (2..).map(|n| format!("{wanted}_{n}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// The definition that clients see.
fn define(setting: &Setting<'_>, shrinker: &mut Shrinker<'_>, tool: &Listed<'_>, exposed: &str, paged: bool) -> String {
    let Ok(mut object) = Object::parse(tool.json) else { return tool.json.to_owned() };
    if exposed != tool.name {
        object.set("name", quote(exposed));
    }
    shrinker.shrink(tool.server, &tool.name, &mut object);
    // A preview cannot match a schema, and clients reject a result that breaks it.
    if tool.rules.mode != Mode::Off && tool.rules.structured != Structured::Keep {
        object.remove("outputSchema");
    }
    if paged {
        add_cursor(&mut object, setting.cursor_param);
    }
    object.to_string()
}

/// The definition of a tool with pages, with the parameter for the next; `None` where it has none: that is its mode, or it has such a
/// parameter of its own.
fn page_parameter(setting: &Setting<'_>, tool: &Listed<'_>, warnings: &mut Vec<String>) -> Option<String> {
    if tool.rules.mode != Mode::Page {
        return None;
    }
    let mut object = Object::parse(tool.json).ok()?;
    if add_cursor(&mut object, setting.cursor_param) {
        return Some(object.to_string());
    }
    warnings.push(format!(
        "{}.{} takes no parameter {:?} of ours beside its own: its results are trimmed, not paged",
        setting.servers[tool.server].0, tool.name, setting.cursor_param
    ));
    None
}

/// Adds the optional cursor to the input schema, and a sentence about it to the description; `false` where the tool may have such a parameter,
/// or its schema has no place for one.
fn add_cursor(tool: &mut Object<'_>, param: &str) -> bool {
    let Ok(mut schema) = Object::parse(tool.get("inputSchema").unwrap_or(r#"{"type":"object"}"#)) else { return false };
    let Ok(mut properties) = Object::parse(schema.get("properties").unwrap_or("{}")) else { return false };
    // What a schema is put together from may name the parameter as well.
    let composed = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"].iter().any(|key| schema.get(key).is_some());
    if properties.get(param).is_some() || (composed && schema.to_string().contains(&quote(param))) {
        return false;
    }
    properties.set(param, r#"{"type":"string","description":"next_cursor of the page before"}"#.to_owned());
    let properties = properties.to_string();
    schema.set("properties", properties);
    let schema = schema.to_string();
    let sentence =
        format!("A large result comes in pages: call again with the same arguments and the {param} that the page gives as next_cursor.");
    let description = tool.str("description").unwrap_or_default();
    let description = description.trim_end();
    let description = if description.is_empty() { sentence } else { format!("{description} {sentence}") };
    tool.set("inputSchema", schema);
    tool.set("description", quote(&description));
    true
}
