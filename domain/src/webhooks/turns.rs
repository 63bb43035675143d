//! Limits on concurrent deliveries, so that a slow receiver doesn't delay others.

/// Maximum number of concurrent deliveries to one webhook.
const OF_AN_ENDPOINT: usize = 4;
/// Maximum number of concurrent deliveries to all webhooks of a customer.
const OF_A_CUSTOMER: usize = 8;

/// Health of a webhook, from its latest attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointHealth {
    /// The last attempt succeeded, or there was none.
    Answering,
    /// No attempt has succeeded since a failure. Messages are sent one at a time, because most failing
    /// receivers use the whole timeout of an attempt.
    Failing,
}

/// Number of further deliveries to a webhook that may begin, given those running to the webhook and to
/// all of the customer's webhooks.
pub fn free_places(health: EndpointHealth, of_endpoint: usize, of_customer: usize) -> usize {
    let most = match health {
        EndpointHealth::Answering => OF_AN_ENDPOINT,
        EndpointHealth::Failing => 1,
    };
    let left = most.saturating_sub(of_endpoint);
    left.min(OF_A_CUSTOMER.saturating_sub(of_customer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_an_endpoint_nor_a_customer_takes_all_places_and_one_that_fails_has_one() {
        let free = |endpoint, customer| free_places(EndpointHealth::Answering, endpoint, customer);
        assert_eq!([0, 1, 4, 5].map(|both| free(both, both)), [4, 3, 0, 0]);
        assert_eq!([free(0, 6), free(0, 8), free(0, 9)], [2, 0, 0]);
        let failing = |endpoint| free_places(EndpointHealth::Failing, endpoint, endpoint);
        assert_eq!([failing(0), failing(1)], [1, 0]);
    }
}
