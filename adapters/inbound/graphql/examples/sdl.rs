//! Writes the schema in its own language: `cargo run -p graphql --example sdl > schema.graphql`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(graphql::schema_sdl().as_bytes())
}
