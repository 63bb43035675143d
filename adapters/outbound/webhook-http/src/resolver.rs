//! DNS resolver that returns only allowed addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use domain::webhooks::Reach;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Resolves names to addresses.
pub trait NameLookup: Send + Sync {
    /// All addresses of a name, in the order in which they are tried.
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Resolves names with the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemNames;

impl NameLookup for SystemNames {
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        }
        .boxed()
    }
}

/// None of the name's addresses is allowed.
#[derive(Debug, thiserror::Error)]
#[error("the name has no address of the public internet")]
pub(crate) struct AddressRefused;

#[derive(Debug, thiserror::Error)]
#[error("the name has no address: {0}")]
pub(crate) struct NameNotFound(io::Error);

/// Resolver of the HTTP client.
pub(crate) struct GuardedResolver {
    pub(crate) names: Arc<dyn NameLookup>,
    pub(crate) reach: Reach,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.names.addresses(name.as_str().to_owned());
        let reach = self.reach;
        async move {
            let found = found.await.map_err(NameNotFound)?;
            if found.is_empty() {
                return Err(NameNotFound(io::ErrorKind::NotFound.into()).into());
            }
            let allowed = found.into_iter().filter(|address| reach.allows(*address));
            // The connector sets the port.
            let allowed: Vec<_> = allowed.map(|address| SocketAddr::new(address, 0)).collect();
            if allowed.is_empty() {
                return Err(AddressRefused.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers that change from one look-up to the next.
    struct Changing {
        answers: Vec<Vec<&'static str>>,
        looked_up: AtomicUsize,
    }

    impl NameLookup for Changing {
        fn addresses(&self, _name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            let place = self.looked_up.fetch_add(1, Ordering::Relaxed);
            let answer = &self.answers[place % self.answers.len()];
            let answer = answer.iter().map(|text| text.parse().unwrap()).collect();
            futures::future::ready(Ok(answer)).boxed()
        }
    }

    fn resolver(answers: Vec<Vec<&'static str>>) -> GuardedResolver {
        GuardedResolver {
            names: Arc::new(Changing {
                answers,
                looked_up: AtomicUsize::new(0),
            }),
            reach: Reach::Public,
        }
    }

    async fn resolved(resolver: &GuardedResolver) -> Option<Vec<String>> {
        let name = "hooks.example".parse().unwrap();
        let addresses = resolver.resolve(name).await.ok()?;
        Some(addresses.map(|address| address.ip().to_string()).collect())
    }

    #[tokio::test]
    async fn a_name_that_changes_its_address_is_refused_when_it_leads_inside() {
        let rebinding = resolver(vec![vec!["8.8.8.8"], vec!["127.0.0.1"], vec!["10.0.0.1"]]);
        let public = Some(vec!["8.8.8.8".to_owned()]);
        for expected in [public.clone(), None, None, public] {
            assert_eq!(resolved(&rebinding).await, expected);
        }
    }

    #[tokio::test]
    async fn of_many_addresses_the_public_ones_are_passed_on() {
        let mixed = resolver(vec![vec!["10.0.0.1", "8.8.8.8", "::1", "fd00::1"]]);
        assert_eq!(resolved(&mixed).await, Some(vec!["8.8.8.8".to_owned()]));
        let none = resolver(vec![vec![]]);
        assert_eq!(resolved(&none).await, None);
    }
}
