//! Tests of the limits.
