//! The one page where services and adapters meet.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use application::{
    BankBySide, GatekeeperService, HealthService, KeyService, KeyWatch, ProofMemory, ProofService,
};
use axum::Router;
use bank_portal::{Pacing, Portal, PortalConfig, PortalUrl};
use domain::key::KeyHasher;
use domain::participant::Catalogue;
use memory::InProcessLimiter;
use ports::inbound::KeyAdministration;
use ports::outbound::{Clock, KeyStore, Limiter, Random, UsageJournal};
use rest::RestState;
use sandbox::SandboxConfig;
use store_seaorm::{Journal, Store};
use tokio::net::TcpListener;

use crate::config::Options;
use crate::secret;
use crate::system::{SystemClock, SystemRandom};

