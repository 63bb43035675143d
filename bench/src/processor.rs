//! Processor time of programs.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use anyhow::{Context, Result};

/// Unit of `/proc/*/stat`, the same on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// Processor time of these processes and of all their descendants.
pub(crate) fn used_by(roots: &[u32]) -> Result<Duration> {
    let mut times = HashMap::new();
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // It may have ended meanwhile.
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) else {
            continue;
        };
        let (parent, ticks) = read(&stat).context("/proc/*/stat isn't as it was")?;
        children.entry(parent).or_default().push(id);
        times.insert(id, ticks);
    }
    let mut waiting = roots.to_vec();
    let (mut seen, mut ticks) = (HashSet::new(), 0);
    while let Some(id) = waiting.pop() {
        if seen.insert(id) {
            ticks += times.get(&id).copied().unwrap_or_default();
            waiting.extend(children.remove(&id).unwrap_or_default());
        }
    }
    Ok(TICK * ticks)
}

/// The parent's id, and its time with that of its children that have ended (proc(5): fields 4 and
/// 14 to 17).
fn read(stat: &str) -> Option<(u32, u32)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<_> = fields.split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let ticks = fields.get(11..15)?.iter().map(|ticks| ticks.parse::<u32>());
    Some((parent, ticks.sum::<Result<_, _>>().ok()?))
}
