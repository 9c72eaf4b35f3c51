//! The list where generated programs stand in the place of the tools: of each the tool that tells of it.

use snugfit_toolset::names::{command, unique};
use snugfit_toolset::{Tool, Tools};

use crate::config::SurfaceKind;
use crate::programs::{Place, Program};

/// A program for each server that has tools. `tools` are the tools of all, each with its server's place.
pub(super) fn programs(kind: SurfaceKind, servers: &[&str], tools: Vec<(usize, Tool)>) -> Vec<Program> {
    // Of names that a shell takes as different, Python takes some as the same.
    let form = |name: &str| if kind == SurfaceKind::Python { command(name).replace('-', "_") } else { command(name) };
    let names = unique(servers, form, "_", &[]);
    let mut of: Vec<Vec<Tool>> = servers.iter().map(|_| Vec::new()).collect();
    for (server, tool) in tools {
        of[server].push(tool);
    }
    let made = of.into_iter().zip(names).enumerate().filter(|(_, (tools, _))| !tools.is_empty());
    made.filter_map(|(server, (tools, name))| Program::new(kind, server, &name, Tools::new(tools).ok()?)).collect()
}

/// The definitions of the tools that tell of programs.
pub(super) fn definitions(programs: &[Program], place: &Place) -> Vec<String> {
    programs.iter().map(|program| program.definition(place)).collect()
}
