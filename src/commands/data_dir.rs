//! The data folder of an embedded database.

use anyhow::{Context, Result};

use crate::config::DatabaseOptions;
use crate::private_files;

/// Makes the data folder when it is missing, and checks one that is there. Replicas have none.
pub(super) fn prepare(options: &DatabaseOptions) -> Result<()> {
    if options.is_server() {
        return Ok(());
    }
    let folder = &options.data_dir;
    private_files::prepare_folder(folder)
        .with_context(|| format!("the data folder {} (CEP_DATA_DIR)", folder.display()))
}
