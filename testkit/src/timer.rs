//! The runtime's timer.

use std::time::Duration;

use async_trait::async_trait;
use ports::outbound::Timer;

/// Timer that waits as long as it is told.
pub struct RuntimeTimer;

#[async_trait]
impl Timer for RuntimeTimer {
    async fn pause(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }
}
