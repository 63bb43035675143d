//! Core dumps, which would hold secrets.

use std::fs;

use crate::gateway::Gateway;

#[tokio::test]
async fn a_gateway_leaves_no_core_dump_and_cannot_be_made_to() {
    let gateway = Gateway::start();
    let limits = fs::read_to_string(format!("/proc/{}/limits", gateway.id())).unwrap();
    let core = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max core file size"));
    let core: Vec<_> = core.unwrap().split_whitespace().collect();
    assert_eq!(core, ["0", "0", "bytes"], "{limits}");
}
