//! Deliveries that are made at the same time: a slow receiver delays nobody else's.

/// Deliveries to one endpoint at the same time, at most.
const OF_AN_ENDPOINT: usize = 4;
/// Deliveries to all endpoints of one customer at the same time, at most.
const OF_A_CUSTOMER: usize = 8;

/// Result of an endpoint's latest attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointHealth {
    /// The last attempt was a success, or there was none.
    Answering,
    /// There was no success since a failure. It gets one message at a time: most receivers that fail take
    /// all of the time that an attempt may last.
    Failing,
}

/// Number of further deliveries to an endpoint that may begin, while so many are under way.
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
