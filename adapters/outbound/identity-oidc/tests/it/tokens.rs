//! Verification of access tokens.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::people::customer::Role;
use identity_oidc::OidcConfig;
use ports::outbound::{Claims, IdentityProvider as _, TokenError};
use rstest::rstest;
use serde_json::{Value, json};

use crate::clock::{START, TestClock};
use crate::test_provider::{AUDIENCE, CLIENT, TestProvider, adapter, now};
use crate::token_builder::{FOREIGN_RSA, Signature, TokenBuilder, rsa_jwk};

const NOT_A_JWT: &str = "it isn't three base64url parts with a JSON header and a known algorithm";
const SYMMETRIC: &str = "its algorithm is symmetric";
const CRITICAL: &str = "its header demands extensions that aren't supported (crit)";
const TYPE: &str = "its header's typ is of another kind of token";
const UNKNOWN_KEY: &str = "the provider has no key with its kid";
const NO_KEY_NAMED: &str = "it names no kid, and the provider has several keys";
const OTHER_ALGORITHM: &str = "its algorithm isn't that of its key";
const SIGNATURE: &str = "its signature is wrong";
const ISSUER: &str = "its iss is another issuer";
const EXPIRED: &str = "it has expired";
const NOT_YET_VALID: &str = "it isn't valid yet; compare the clocks";
const ID_TOKEN: &str = "it is an ID token";
const OTHER_AUDIENCE: &str = "its aud doesn't name \"the-gateway\"; set the audience to how the \
     provider knows the gateway, or have the provider issue access tokens for it";

type Change = fn(TokenBuilder) -> TokenBuilder;

async fn verify(change: Change) -> Result<Claims, TokenError> {
    verify_with(|_| {}, change).await
}

async fn verify_with(configure: fn(&mut OidcConfig), change: Change) -> Result<Claims, TokenError> {
    let provider = TestProvider::start().await;
    let mut config = provider.config();
    configure(&mut config);
    let token = change(provider.access_token()).sign();
    let adapter = adapter(config, &TestClock::new());
    adapter.verify(&token).await
}

fn reason(verified: Result<Claims, TokenError>) -> String {
    match verified {
        Err(TokenError::Invalid(cause)) => cause.to_string(),
        Err(TokenError::Unavailable(cause)) => panic!("unavailable: {cause}"),
        Ok(_) => panic!("accepted"),
    }
}

#[tokio::test]
async fn a_valid_token_names_its_subject() {
    let claims = verify(|token| token.claim("name", json!("Somebody"))).await;
    let claims = claims.unwrap();
    let start: DateTime<Utc> = START.parse().unwrap();
    assert_eq!(claims.subject, "somebody");
    assert_eq!(claims.role, Role::Member);
    assert_eq!(claims.display_name.as_deref(), Some("Somebody"));
    assert_eq!(claims.issued_at, Some(start));
    assert_eq!(claims.expires_at, start + chrono::TimeDelta::hours(1));
    let undated = verify(|token| token.claim("iat", Value::Null))
        .await
        .unwrap();
    assert_eq!(undated.issued_at, None);
}

#[rstest]
#[case::rs256(|token: TokenBuilder| token)]
#[case::rs384(|token: TokenBuilder| token.header("alg", json!("RS384")).signed_by(Signature::Rs384))]
#[case::rs512(|token: TokenBuilder| token.header("alg", json!("RS512")).signed_by(Signature::Rs512))]
#[case::ps256(|token: TokenBuilder| token.header("alg", json!("PS256")).signed_by(Signature::Ps256))]
#[case::es256(|token: TokenBuilder| token.header("alg", json!("ES256")).header("kid", json!("p256")).signed_by(Signature::Es256))]
#[case::es384(|token: TokenBuilder| token.header("alg", json!("ES384")).header("kid", json!("p384")).signed_by(Signature::Es384))]
#[case::ed25519(|token: TokenBuilder| token.header("alg", json!("EdDSA")).header("kid", json!("ed25519")).signed_by(Signature::Ed25519))]
#[case::no_type(|token: TokenBuilder| token.header("typ", Value::Null))]
#[case::type_jwt(|token: TokenBuilder| token.header("typ", json!("JWT")))]
#[case::type_in_lower_case(|token: TokenBuilder| token.header("typ", json!("jwt")))]
#[case::type_as_a_media_type(|token: TokenBuilder| token.header("typ", json!("Application/AT+jwt")))]
#[case::one_of_several_audiences(|token: TokenBuilder| token.claim("aud", json!(["other", AUDIENCE])))]
#[case::valid_since_now(|token: TokenBuilder| token.claim("nbf", json!(now())))]
#[case::the_providers_clock_is_ahead(|token: TokenBuilder| token.claim("nbf", json!(now() + 5)).claim("iat", json!(now() + 5)))]
#[case::a_fraction_of_a_second(|token: TokenBuilder| token.claim("exp", json!(now_and_a_half() + 60.0)))]
#[case::last_second_of_validity(|token: TokenBuilder| token.claim("exp", json!(now() + 1)))]
#[case::no_iat(|token: TokenBuilder| token.claim("iat", Value::Null))]
#[case::the_longest_subject(|token: TokenBuilder| token.claim("sub", json!("s".repeat(255))))]
#[case::keycloaks_typ_claim(|token: TokenBuilder| token.claim("typ", json!("Bearer")))]
#[case::old_keycloaks_nonce(|token: TokenBuilder| token.header("typ", json!("JWT")).claim("typ", json!("Bearer")).claim("nonce", json!("n")))]
#[tokio::test]
async fn a_valid_token_is_accepted(#[case] change: Change) {
    verify(change).await.unwrap();
}

/// Keys and addresses of keys in a header are ignored: the sender may have written anything.
#[rstest]
#[case("jku", json!("http://127.0.0.1:9/jwks"))]
#[case("x5u", json!("http://127.0.0.1:9/certificate"))]
#[case("jwk", rsa_jwk(&FOREIGN_RSA, "rsa"))]
#[tokio::test]
async fn keys_in_a_header_are_ignored(#[case] field: &str, #[case] value: Value) {
    let (provider, _, adapter) = TestProvider::start_with_adapter().await;
    let signed = provider.access_token().header(field, value);
    adapter.verify(&signed.sign()).await.unwrap();
    let forged = signed.signed_by(Signature::Foreign);
    let verified = adapter.verify(&forged.sign()).await;
    assert_eq!(reason(verified), "its signature is wrong");
}

#[rstest]
#[case::none(|token: TokenBuilder| token.header("alg", json!("none")).signed_by(Signature::Empty), NOT_A_JWT)]
#[case::none_in_mixed_case(|token: TokenBuilder| token.header("alg", json!("nOnE")).signed_by(Signature::Empty), NOT_A_JWT)]
#[case::none_with_a_good_signature(|token: TokenBuilder| token.header("alg", json!("none")), NOT_A_JWT)]
#[case::no_algorithm(|token: TokenBuilder| token.header("alg", Value::Null), NOT_A_JWT)]
#[case::an_unknown_algorithm(|token: TokenBuilder| token.header("alg", json!("RS1")), NOT_A_JWT)]
#[case::algorithms(|token: TokenBuilder| token.header("alg", json!(["RS256"])), NOT_A_JWT)]
#[case::no_signature(|token: TokenBuilder| token.signed_by(Signature::Empty), SIGNATURE)]
#[case::anothers_signature(|token: TokenBuilder| token.signed_by(Signature::OfAnotherMessage), SIGNATURE)]
#[case::a_foreign_key(|token: TokenBuilder| token.signed_by(Signature::Foreign), SIGNATURE)]
#[case::hs256_with_the_public_key_as_pem(|token: TokenBuilder| token.header("alg", json!("HS256")).signed_by(Signature::PublicKeyPem), SYMMETRIC)]
#[case::hs256_with_the_public_key_as_der(|token: TokenBuilder| token.header("alg", json!("HS256")).signed_by(Signature::PublicKeyDer), SYMMETRIC)]
#[case::hs256_with_the_modulus(|token: TokenBuilder| token.header("alg", json!("HS256")).signed_by(Signature::PublicModulus), SYMMETRIC)]
#[case::hs384(|token: TokenBuilder| token.header("alg", json!("HS384")).signed_by(Signature::PublicKeyPem), SYMMETRIC)]
#[case::hs512(|token: TokenBuilder| token.header("alg", json!("HS512")).signed_by(Signature::PublicKeyPem), SYMMETRIC)]
#[case::hmac_bytes_under_rs256(|token: TokenBuilder| token.signed_by(Signature::PublicKeyPem), SIGNATURE)]
#[case::ec_key_named_rsa_algorithm(|token: TokenBuilder| token.header("kid", json!("p256")), OTHER_ALGORITHM)]
#[case::rsa_key_named_ec_algorithm(|token: TokenBuilder| token.header("alg", json!("ES256")).signed_by(Signature::Es256), OTHER_ALGORITHM)]
#[case::rsa_key_ed_algorithm(|token: TokenBuilder| token.header("alg", json!("EdDSA")).signed_by(Signature::Ed25519), OTHER_ALGORITHM)]
#[case::the_other_curve(|token: TokenBuilder| token.header("alg", json!("ES384")).header("kid", json!("p256")).signed_by(Signature::Es384), OTHER_ALGORITHM)]
#[case::another_padding(|token: TokenBuilder| token.signed_by(Signature::Ps256), SIGNATURE)]
#[case::another_hash(|token: TokenBuilder| token.signed_by(Signature::Rs384), SIGNATURE)]
#[case::another_published_key(|token: TokenBuilder| token.header("kid", json!("p256")).header("alg", json!("ES256")), SIGNATURE)]
#[case::an_unknown_key(|token: TokenBuilder| token.header("kid", json!("rsa2")), UNKNOWN_KEY)]
#[case::a_key_in_other_case(|token: TokenBuilder| token.header("kid", json!("RSA")), UNKNOWN_KEY)]
#[case::an_empty_key(|token: TokenBuilder| token.header("kid", json!("")), UNKNOWN_KEY)]
#[case::a_path_as_a_key(|token: TokenBuilder| token.header("kid", json!("../../dev/null")), UNKNOWN_KEY)]
#[case::a_number_as_a_key(|token: TokenBuilder| token.header("kid", json!(1)), NOT_A_JWT)]
#[case::no_key_named(|token: TokenBuilder| token.header("kid", Value::Null), NO_KEY_NAMED)]
#[case::a_critical_extension(|token: TokenBuilder| token.header("crit", json!(["exp"])).header("exp", json!(1)), CRITICAL)]
#[case::an_empty_list_of_critical_extensions(|token: TokenBuilder| token.header("crit", json!([])), CRITICAL)]
#[case::unencoded_payload(|token: TokenBuilder| token.header("b64", json!(false)).header("crit", json!(["b64"])), CRITICAL)]
#[case::a_logout_token(|token: TokenBuilder| token.header("typ", json!("logout+jwt")), TYPE)]
#[case::a_proof_of_possession(|token: TokenBuilder| token.header("typ", json!("dpop+jwt")), TYPE)]
#[case::an_introspection(|token: TokenBuilder| token.header("typ", json!("token-introspection+jwt")), TYPE)]
#[case::no_issuer(|token: TokenBuilder| token.claim("iss", Value::Null), "its iss is missing or malformed")]
#[case::another_issuer(|token: TokenBuilder| token.claim("iss", json!("http://127.0.0.1")), ISSUER)]
#[case::issuers(|token: TokenBuilder| { let issuer = token.claims["iss"].clone(); token.claim("iss", json!([issuer])) }, "its iss is missing or malformed")]
#[case::an_issuer_with_a_slash(|token: TokenBuilder| { let issuer = format!("{}/", token.claims["iss"].as_str().unwrap()); token.claim("iss", json!(issuer)) }, ISSUER)]
#[case::no_audience(|token: TokenBuilder| token.claim("aud", Value::Null), "its aud is missing or malformed")]
#[case::another_audience(|token: TokenBuilder| token.claim("aud", json!("other")), OTHER_AUDIENCE)]
#[case::other_audiences(|token: TokenBuilder| token.claim("aud", json!(["other", "others"])), OTHER_AUDIENCE)]
#[case::no_audiences(|token: TokenBuilder| token.claim("aud", json!([])), OTHER_AUDIENCE)]
#[case::an_audience_in_an_object(|token: TokenBuilder| token.claim("aud", json!({ "0": AUDIENCE })), "its aud is missing or malformed")]
#[case::an_audience_and_more(|token: TokenBuilder| token.claim("aud", json!("the-gateway-2")), OTHER_AUDIENCE)]
#[case::no_expiry(|token: TokenBuilder| token.claim("exp", Value::Null), "its exp is missing or malformed")]
#[case::expired(|token: TokenBuilder| token.claim("exp", json!(now() - 1)), EXPIRED)]
#[case::expires_now(|token: TokenBuilder| token.claim("exp", json!(now())), EXPIRED)]
#[case::an_expiry_in_text(|token: TokenBuilder| token.claim("exp", json!((now() + 60).to_string())), "its exp is missing or malformed")]
#[case::an_expiry_beyond_the_calendar(|token: TokenBuilder| token.claim("exp", json!(i64::MAX)), "its exp is missing or malformed")]
#[case::an_expiry_beyond_integers(|token: TokenBuilder| token.claim("exp", json!(1e300)), "its exp is missing or malformed")]
#[case::a_negative_expiry(|token: TokenBuilder| token.claim("exp", json!(-1)), EXPIRED)]
#[case::not_yet(|token: TokenBuilder| token.claim("nbf", json!(now() + 6)), NOT_YET_VALID)]
#[case::a_not_before_in_text(|token: TokenBuilder| token.claim("nbf", json!("0")), "its nbf is missing or malformed")]
#[case::from_the_future(|token: TokenBuilder| token.claim("iat", json!(now() + 6)), NOT_YET_VALID)]
#[case::no_subject(|token: TokenBuilder| token.claim("sub", Value::Null), "its sub is missing or malformed")]
#[case::an_empty_subject(|token: TokenBuilder| token.claim("sub", json!("")), "its sub is missing or malformed")]
#[case::a_number_as_a_subject(|token: TokenBuilder| token.claim("sub", json!(7)), "its sub is missing or malformed")]
#[case::a_subject_too_long(|token: TokenBuilder| token.claim("sub", json!("s".repeat(256))), "its sub is missing or malformed")]
#[case::a_subject_with_a_line_feed(|token: TokenBuilder| token.claim("sub", json!("some\nbody")), "its sub is missing or malformed")]
#[case::a_subject_with_a_nul(|token: TokenBuilder| token.claim("sub", json!("some\0body")), "its sub is missing or malformed")]
#[case::an_id_token_by_its_nonce(|token: TokenBuilder| token.header("typ", json!("JWT")).claim("nonce", json!("n")), ID_TOKEN)]
#[case::an_id_token_by_its_hash(|token: TokenBuilder| token.claim("at_hash", json!("h")), ID_TOKEN)]
#[case::an_id_token_by_its_code_hash(|token: TokenBuilder| token.claim("c_hash", json!("h")), ID_TOKEN)]
#[case::keycloaks_id_token(|token: TokenBuilder| token.claim("typ", json!("ID")), ID_TOKEN)]
#[case::keycloaks_refresh_token(|token: TokenBuilder| token.claim("typ", json!("Refresh")), ID_TOKEN)]
#[tokio::test]
async fn an_invalid_token_is_refused_with_its_reason(
    #[case] change: Change,
    #[case] expected: &str,
) {
    assert_eq!(reason(verify(change).await), expected);
}

#[rstest]
#[case("")]
#[case(".")]
#[case("..")]
#[case("a.b.c")]
#[case("e30.e30.e30")]
#[case("opaque-token-of-a-provider")]
#[case("eyJhbGciOiJSUzI1NiJ9.e30")]
#[case("eyJhbGciOiJSUzI1NiJ9.e30.AA.AA.AA")]
#[case(" eyJhbGciOiJSUzI1NiJ9.e30.AA")]
#[tokio::test]
async fn a_text_that_is_no_token_is_refused(#[case] token: &str) {
    let (_provider, _, adapter) = TestProvider::start_with_adapter().await;
    reason(adapter.verify(token).await);
    let token = token.repeat(100_000);
    reason(adapter.verify(&token).await);
}

#[tokio::test]
async fn a_token_with_one_changed_character_is_refused() {
    let (provider, _, adapter) = TestProvider::start_with_adapter().await;
    let token = provider.access_token().sign();
    for (place, character) in token.char_indices() {
        for other in ['A', 'B', '=', '.'] {
            if other != character {
                let mut changed = token.clone();
                changed.replace_range(place..=place, &other.to_string());
                reason(adapter.verify(&changed).await);
            }
        }
    }
}

#[tokio::test]
async fn a_reason_repeats_nothing_of_the_token() {
    let (provider, _, adapter) = TestProvider::start_with_adapter().await;
    let token = provider.access_token().claim("sub", json!(""));
    let token = token.claim("secret", json!("hush")).sign();
    let Err(error) = adapter.verify(&token).await else {
        panic!("accepted");
    };
    let text = format!("{error} {error:?}");
    for part in token.split('.') {
        assert!(!text.contains(part), "{text}");
    }
    let expected = "the token isn't good: its sub is missing or malformed";
    assert_eq!(error.to_string(), expected);
}

#[rstest]
#[case::bare(|token: TokenBuilder| token.header("typ", json!("JWT")))]
#[case::with_azp(|token: TokenBuilder| token.header("typ", json!("JWT")).claim("azp", json!(CLIENT)))]
#[case::untyped(|token: TokenBuilder| token.header("typ", Value::Null))]
#[tokio::test]
async fn a_token_that_may_be_an_id_token_is_refused_where_client_and_audience_are_the_same(
    #[case] change: Change,
) {
    let verified = verify_with(|config| config.client_id = AUDIENCE.to_owned(), change).await;
    assert!(reason(verified).starts_with("it can't be told from an ID token"));
}

#[rstest]
#[case::typed(|token: TokenBuilder| token)]
#[case::with_a_scope(|token: TokenBuilder| token.header("typ", json!("JWT")).claim("scope", json!("openid")))]
#[case::with_scp(|token: TokenBuilder| token.header("typ", Value::Null).claim("scp", json!("read")))]
#[case::with_a_client(|token: TokenBuilder| token.header("typ", json!("JWT")).claim("client_id", json!(AUDIENCE)))]
#[case::keycloaks(|token: TokenBuilder| token.header("typ", json!("JWT")).claim("typ", json!("Bearer")))]
#[tokio::test]
async fn a_token_marked_as_an_access_token_is_accepted_where_client_and_audience_are_the_same(
    #[case] change: Change,
) {
    let verified = verify_with(|config| config.client_id = AUDIENCE.to_owned(), change).await;
    verified.unwrap();
}

#[rstest]
#[case(|token: TokenBuilder| token.claim("roles", json!(["cep-admin"])), Role::Admin)]
#[case(|token: TokenBuilder| token.claim("roles", json!(["cep"])), Role::Member)]
#[case(|token: TokenBuilder| token, Role::Member)]
#[tokio::test]
async fn the_configured_claim_makes_an_admin(#[case] change: Change, #[case] role: Role) {
    assert_eq!(verify(change).await.unwrap().role, role);
}

#[rstest]
#[case(|token: TokenBuilder| token.claim("name", json!("A")).claim("preferred_username", json!("b")), Some("A"))]
#[case(|token: TokenBuilder| token.claim("name", json!("  ")).claim("preferred_username", json!("b")), Some("b"))]
#[case(|token: TokenBuilder| token.claim("name", json!(1)).claim("email", json!("c@example.com")), Some("c@example.com"))]
#[case(|token: TokenBuilder| token.claim("name", json!("A\u{0}\nB")), Some("AB"))]
#[case(|token: TokenBuilder| token, None)]
#[tokio::test]
async fn the_first_claim_with_a_name_is_shown(#[case] change: Change, #[case] name: Option<&str>) {
    assert_eq!(verify(change).await.unwrap().display_name.as_deref(), name);
}

#[tokio::test]
async fn a_token_expires_by_the_clock_of_the_port() {
    let (provider, clock, adapter) = TestProvider::start_with_adapter().await;
    let token = provider
        .access_token()
        .claim("exp", json!(now() + 60))
        .sign();
    clock.advance(Duration::from_millis(59_999));
    adapter.verify(&token).await.unwrap();
    clock.advance(Duration::from_millis(1));
    assert_eq!(reason(adapter.verify(&token).await), "it has expired");
}

#[expect(clippy::cast_precision_loss, reason = "seconds of this century")]
fn now_and_a_half() -> f64 {
    now() as f64 + 0.5
}
