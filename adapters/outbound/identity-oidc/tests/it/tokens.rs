//! Which tokens are sessions, and which are not.

use chrono::{DateTime, Utc};
use domain::customer::Role;
use identity_oidc::OidcConfig;
use ports::outbound::{Claims, IdentityProvider as _, TokenError};
use rstest::rstest;
use serde_json::{Value, json};

use crate::clock::{START, TestClock};
use crate::provider::{AUDIENCE, CLIENT, TestProvider, adapter, now};
use crate::signer::{Draft, FOREIGN_RSA, Signature, rsa_jwk};

const NOT_A_JWT: &str = "it isn't three base64url parts with a JSON header and a known algorithm";
const SYMMETRIC: &str = "its algorithm is symmetric";
const CRITICAL: &str = "its header demands what we don't know (crit)";
const TYPE: &str = "its header's typ is of another kind of token";
const UNKNOWN_KEY: &str = "the provider has no key with its kid";
const NO_KEY_NAMED: &str = "it names no kid, and the provider has several keys";
const OTHER_ALGORITHM: &str = "its algorithm isn't that of its key";
const SIGNATURE: &str = "its signature is wrong";
const ISSUER: &str = "its iss is another issuer";
const EXPIRED: &str = "it has expired";
const NOT_YET: &str = "it isn't good yet; compare the clocks";
const ID_TOKEN: &str = "it is an ID token";
const AUDIENCE_WANTED: &str = "its aud doesn't name \"the-gateway\"; set the audience to how the \
     provider knows the gateway, or have the provider issue access tokens for it";

type Change = fn(Draft) -> Draft;

async fn verify(change: Change) -> Result<Claims, TokenError> {
    verify_with(|_| {}, change).await
}

async fn verify_with(configure: fn(&mut OidcConfig), change: Change) -> Result<Claims, TokenError> {
    let provider = TestProvider::start().await;
    let mut config = provider.config();
    configure(&mut config);
    let token = change(provider.draft()).token();
    let adapter = adapter(config, &TestClock::new());
    adapter.verify(&token).await
}

fn reason(verdict: Result<Claims, TokenError>) -> String {
    match verdict {
        Err(TokenError::Invalid(cause)) => cause.to_string(),
        Err(TokenError::Unavailable(cause)) => panic!("unavailable: {cause}"),
        Ok(_) => panic!("accepted"),
    }
}

#[tokio::test]
async fn a_good_token_says_who_it_is() {
    let claims = verify(|draft| draft.claim("name", json!("Somebody")))
        .await
        .unwrap();
    let start: DateTime<Utc> = START.parse().unwrap();
    assert_eq!(claims.subject, "somebody");
    assert_eq!(claims.role, Role::Member);
    assert_eq!(claims.display_name.as_deref(), Some("Somebody"));
    assert_eq!(claims.expires_at, start + chrono::TimeDelta::hours(1));
}

#[rstest]
#[case::rs256(|draft: Draft| draft)]
#[case::rs384(|draft: Draft| draft.header("alg", json!("RS384")).signed(Signature::Rs384))]
#[case::rs512(|draft: Draft| draft.header("alg", json!("RS512")).signed(Signature::Rs512))]
#[case::ps256(|draft: Draft| draft.header("alg", json!("PS256")).signed(Signature::Ps256))]
#[case::es256(|draft: Draft| draft.header("alg", json!("ES256")).header("kid", json!("p256")).signed(Signature::Es256))]
#[case::es384(|draft: Draft| draft.header("alg", json!("ES384")).header("kid", json!("p384")).signed(Signature::Es384))]
#[case::ed25519(|draft: Draft| draft.header("alg", json!("EdDSA")).header("kid", json!("ed25519")).signed(Signature::Ed25519))]
#[case::no_type(|draft: Draft| draft.header("typ", Value::Null))]
#[case::type_jwt(|draft: Draft| draft.header("typ", json!("JWT")))]
#[case::type_in_small_letters(|draft: Draft| draft.header("typ", json!("jwt")))]
#[case::type_as_a_media_type(|draft: Draft| draft.header("typ", json!("Application/AT+jwt")))]
#[case::one_of_several_audiences(|draft: Draft| draft.claim("aud", json!(["other", AUDIENCE])))]
#[case::began_just_now(|draft: Draft| draft.claim("nbf", json!(now())))]
#[case::the_providers_clock_is_ahead(|draft: Draft| draft.claim("nbf", json!(now() + 5)).claim("iat", json!(now() + 5)))]
#[case::a_fraction_of_a_second(|draft: Draft| draft.claim("exp", json!(now_and_a_half() + 60.0)))]
#[case::its_last_second(|draft: Draft| draft.claim("exp", json!(now() + 1)))]
#[case::no_iat(|draft: Draft| draft.claim("iat", Value::Null))]
#[case::the_longest_subject(|draft: Draft| draft.claim("sub", json!("s".repeat(255))))]
#[case::keycloaks_kind(|draft: Draft| draft.claim("typ", json!("Bearer")))]
#[case::old_keycloaks_nonce(|draft: Draft| draft.header("typ", json!("JWT")).claim("typ", json!("Bearer")).claim("nonce", json!("n")))]
#[tokio::test]
async fn a_good_token_is_accepted(#[case] change: Change) {
    verify(change).await.unwrap();
}

/// What a sender writes into the header about keys is ignored, not believed.
#[rstest]
#[case("jku", json!("http://127.0.0.1:9/jwks"))]
#[case("x5u", json!("http://127.0.0.1:9/certificate"))]
#[case("jwk", rsa_jwk(&FOREIGN_RSA, "rsa"))]
#[tokio::test]
async fn keys_that_come_along_are_not_looked_at(#[case] field: &str, #[case] value: Value) {
    let provider = TestProvider::start().await;
    let adapter = provider.adapter(&TestClock::new());
    let signed = provider.draft().header(field, value);
    adapter.verify(&signed.token()).await.unwrap();
    let forged = signed.signed(Signature::Foreign);
    let verdict = adapter.verify(&forged.token()).await;
    assert_eq!(reason(verdict), "its signature is wrong");
}

#[rstest]
#[case::none(|draft: Draft| draft.header("alg", json!("none")).signed(Signature::Empty), NOT_A_JWT)]
#[case::none_in_odd_letters(|draft: Draft| draft.header("alg", json!("nOnE")).signed(Signature::Empty), NOT_A_JWT)]
#[case::none_with_a_good_signature(|draft: Draft| draft.header("alg", json!("none")), NOT_A_JWT)]
#[case::no_algorithm(|draft: Draft| draft.header("alg", Value::Null), NOT_A_JWT)]
#[case::an_unknown_algorithm(|draft: Draft| draft.header("alg", json!("RS1")), NOT_A_JWT)]
#[case::algorithms(|draft: Draft| draft.header("alg", json!(["RS256"])), NOT_A_JWT)]
#[case::no_signature(|draft: Draft| draft.signed(Signature::Empty), SIGNATURE)]
#[case::anothers_signature(|draft: Draft| draft.signed(Signature::OfAnotherMessage), SIGNATURE)]
#[case::a_foreign_key(|draft: Draft| draft.signed(Signature::Foreign), SIGNATURE)]
#[case::hs256_with_the_public_key_as_pem(|draft: Draft| draft.header("alg", json!("HS256")).signed(Signature::PublicKeyPem), SYMMETRIC)]
#[case::hs256_with_the_public_key_as_der(|draft: Draft| draft.header("alg", json!("HS256")).signed(Signature::PublicKeyDer), SYMMETRIC)]
#[case::hs256_with_the_modulus(|draft: Draft| draft.header("alg", json!("HS256")).signed(Signature::PublicModulus), SYMMETRIC)]
#[case::hs384(|draft: Draft| draft.header("alg", json!("HS384")).signed(Signature::PublicKeyPem), SYMMETRIC)]
#[case::hs512(|draft: Draft| draft.header("alg", json!("HS512")).signed(Signature::PublicKeyPem), SYMMETRIC)]
#[case::hmac_bytes_under_rs256(|draft: Draft| draft.signed(Signature::PublicKeyPem), SIGNATURE)]
#[case::ec_key_named_rsa_algorithm(|draft: Draft| draft.header("kid", json!("p256")), OTHER_ALGORITHM)]
#[case::rsa_key_named_ec_algorithm(|draft: Draft| draft.header("alg", json!("ES256")).signed(Signature::Es256), OTHER_ALGORITHM)]
#[case::rsa_key_ed_algorithm(|draft: Draft| draft.header("alg", json!("EdDSA")).signed(Signature::Ed25519), OTHER_ALGORITHM)]
#[case::the_other_curve(|draft: Draft| draft.header("alg", json!("ES384")).header("kid", json!("p256")).signed(Signature::Es384), OTHER_ALGORITHM)]
#[case::another_padding(|draft: Draft| draft.signed(Signature::Ps256), SIGNATURE)]
#[case::another_hash(|draft: Draft| draft.signed(Signature::Rs384), SIGNATURE)]
#[case::the_wrong_key_of_ours(|draft: Draft| draft.header("kid", json!("p256")).header("alg", json!("ES256")), SIGNATURE)]
#[case::an_unknown_key(|draft: Draft| draft.header("kid", json!("rsa2")), UNKNOWN_KEY)]
#[case::a_key_in_other_letters(|draft: Draft| draft.header("kid", json!("RSA")), UNKNOWN_KEY)]
#[case::an_empty_key(|draft: Draft| draft.header("kid", json!("")), UNKNOWN_KEY)]
#[case::a_path_as_a_key(|draft: Draft| draft.header("kid", json!("../../dev/null")), UNKNOWN_KEY)]
#[case::a_number_as_a_key(|draft: Draft| draft.header("kid", json!(1)), NOT_A_JWT)]
#[case::no_key_named(|draft: Draft| draft.header("kid", Value::Null), NO_KEY_NAMED)]
#[case::a_demand(|draft: Draft| draft.header("crit", json!(["exp"])).header("exp", json!(1)), CRITICAL)]
#[case::an_empty_demand(|draft: Draft| draft.header("crit", json!([])), CRITICAL)]
#[case::unencoded_payload(|draft: Draft| draft.header("b64", json!(false)).header("crit", json!(["b64"])), CRITICAL)]
#[case::a_logout_token(|draft: Draft| draft.header("typ", json!("logout+jwt")), TYPE)]
#[case::a_proof_of_possession(|draft: Draft| draft.header("typ", json!("dpop+jwt")), TYPE)]
#[case::an_introspection(|draft: Draft| draft.header("typ", json!("token-introspection+jwt")), TYPE)]
#[case::no_issuer(|draft: Draft| draft.claim("iss", Value::Null), "its iss is missing or malformed")]
#[case::another_issuer(|draft: Draft| draft.claim("iss", json!("http://127.0.0.1")), ISSUER)]
#[case::issuers(|draft: Draft| { let issuer = draft.claims["iss"].clone(); draft.claim("iss", json!([issuer])) }, "its iss is missing or malformed")]
#[case::an_issuer_with_a_slash(|draft: Draft| { let issuer = format!("{}/", draft.claims["iss"].as_str().unwrap()); draft.claim("iss", json!(issuer)) }, ISSUER)]
#[case::no_audience(|draft: Draft| draft.claim("aud", Value::Null), "its aud is missing or malformed")]
#[case::another_audience(|draft: Draft| draft.claim("aud", json!("other")), AUDIENCE_WANTED)]
#[case::other_audiences(|draft: Draft| draft.claim("aud", json!(["other", "others"])), AUDIENCE_WANTED)]
#[case::no_audiences(|draft: Draft| draft.claim("aud", json!([])), AUDIENCE_WANTED)]
#[case::an_audience_in_an_object(|draft: Draft| draft.claim("aud", json!({ "0": AUDIENCE })), "its aud is missing or malformed")]
#[case::an_audience_and_more(|draft: Draft| draft.claim("aud", json!("the-gateway-2")), AUDIENCE_WANTED)]
#[case::no_end(|draft: Draft| draft.claim("exp", Value::Null), "its exp is missing or malformed")]
#[case::ended(|draft: Draft| draft.claim("exp", json!(now() - 1)), EXPIRED)]
#[case::ends_now(|draft: Draft| draft.claim("exp", json!(now())), EXPIRED)]
#[case::an_end_in_text(|draft: Draft| draft.claim("exp", json!((now() + 60).to_string())), "its exp is missing or malformed")]
#[case::an_end_out_of_this_world(|draft: Draft| draft.claim("exp", json!(i64::MAX)), "its exp is missing or malformed")]
#[case::an_end_out_of_all_numbers(|draft: Draft| draft.claim("exp", json!(1e300)), "its exp is missing or malformed")]
#[case::a_negative_end(|draft: Draft| draft.claim("exp", json!(-1)), EXPIRED)]
#[case::not_yet(|draft: Draft| draft.claim("nbf", json!(now() + 6)), NOT_YET)]
#[case::a_beginning_in_text(|draft: Draft| draft.claim("nbf", json!("0")), "its nbf is missing or malformed")]
#[case::from_the_future(|draft: Draft| draft.claim("iat", json!(now() + 6)), NOT_YET)]
#[case::no_subject(|draft: Draft| draft.claim("sub", Value::Null), "its sub is missing or malformed")]
#[case::an_empty_subject(|draft: Draft| draft.claim("sub", json!("")), "its sub is missing or malformed")]
#[case::a_number_as_a_subject(|draft: Draft| draft.claim("sub", json!(7)), "its sub is missing or malformed")]
#[case::a_subject_too_long(|draft: Draft| draft.claim("sub", json!("s".repeat(256))), "its sub is missing or malformed")]
#[case::a_subject_with_a_line_feed(|draft: Draft| draft.claim("sub", json!("some\nbody")), "its sub is missing or malformed")]
#[case::a_subject_with_a_nul(|draft: Draft| draft.claim("sub", json!("some\0body")), "its sub is missing or malformed")]
#[case::an_id_token_by_its_nonce(|draft: Draft| draft.header("typ", json!("JWT")).claim("nonce", json!("n")), ID_TOKEN)]
#[case::an_id_token_by_its_hash(|draft: Draft| draft.claim("at_hash", json!("h")), ID_TOKEN)]
#[case::an_id_token_by_its_code_hash(|draft: Draft| draft.claim("c_hash", json!("h")), ID_TOKEN)]
#[case::keycloaks_id_token(|draft: Draft| draft.claim("typ", json!("ID")), ID_TOKEN)]
#[case::keycloaks_refresh_token(|draft: Draft| draft.claim("typ", json!("Refresh")), ID_TOKEN)]
#[tokio::test]
async fn a_bad_token_is_refused_for_its_fault(#[case] change: Change, #[case] fault: &str) {
    assert_eq!(reason(verify(change).await), fault);
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
async fn what_is_no_token_is_refused_without_asking_anybody(#[case] token: &str) {
    let provider = TestProvider::start().await;
    let adapter = provider.adapter(&TestClock::new());
    reason(adapter.verify(token).await);
    let token = token.repeat(100_000);
    reason(adapter.verify(&token).await);
}

#[tokio::test]
async fn no_character_of_a_token_can_be_another() {
    let provider = TestProvider::start().await;
    let adapter = provider.adapter(&TestClock::new());
    let token = provider.draft().token();
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
async fn no_reason_repeats_the_token() {
    let provider = TestProvider::start().await;
    let adapter = provider.adapter(&TestClock::new());
    let draft = provider
        .draft()
        .claim("sub", json!(""))
        .claim("secret", json!("hush"));
    let token = draft.token();
    let Err(error) = adapter.verify(&token).await else {
        panic!("accepted");
    };
    let text = format!("{error} {error:?}");
    for part in token.split('.') {
        assert!(!text.contains(part), "{text}");
    }
    assert_eq!(
        error.to_string(),
        "the token isn't good: its sub is missing or malformed"
    );
}

#[rstest]
#[case::bare(|draft: Draft| draft.header("typ", json!("JWT")))]
#[case::with_azp(|draft: Draft| draft.header("typ", json!("JWT")).claim("azp", json!(CLIENT)))]
#[case::untyped(|draft: Draft| draft.header("typ", Value::Null))]
#[tokio::test]
async fn where_client_and_audience_are_one_what_may_be_an_id_token_is_refused(
    #[case] change: Change,
) {
    let verdict = verify_with(|config| config.client_id = AUDIENCE.to_owned(), change).await;
    assert!(reason(verdict).starts_with("it can't be told from an ID token"));
}

#[rstest]
#[case::typed(|draft: Draft| draft)]
#[case::with_a_scope(|draft: Draft| draft.header("typ", json!("JWT")).claim("scope", json!("openid")))]
#[case::with_scp(|draft: Draft| draft.header("typ", Value::Null).claim("scp", json!("read")))]
#[case::with_a_client(|draft: Draft| draft.header("typ", json!("JWT")).claim("client_id", json!(AUDIENCE)))]
#[case::keycloaks(|draft: Draft| draft.header("typ", json!("JWT")).claim("typ", json!("Bearer")))]
#[tokio::test]
async fn where_client_and_audience_are_one_an_access_token_shows_that_it_is_one(
    #[case] change: Change,
) {
    let verdict = verify_with(|config| config.client_id = AUDIENCE.to_owned(), change).await;
    verdict.unwrap();
}

#[rstest]
#[case(|draft: Draft| draft.claim("roles", json!(["cep-admin"])), Role::Admin)]
#[case(|draft: Draft| draft.claim("roles", json!(["cep"])), Role::Member)]
#[case(|draft: Draft| draft, Role::Member)]
#[tokio::test]
async fn the_configured_claim_makes_an_admin(#[case] change: Change, #[case] role: Role) {
    assert_eq!(verify(change).await.unwrap().role, role);
}

#[rstest]
#[case(|draft: Draft| draft.claim("name", json!("A")).claim("preferred_username", json!("b")), Some("A"))]
#[case(|draft: Draft| draft.claim("name", json!("  ")).claim("preferred_username", json!("b")), Some("b"))]
#[case(|draft: Draft| draft.claim("name", json!(1)).claim("email", json!("c@example.com")), Some("c@example.com"))]
#[case(|draft: Draft| draft.claim("name", json!("A\u{0}\nB")), Some("AB"))]
#[case(|draft: Draft| draft, None)]
#[tokio::test]
async fn the_first_name_that_says_anything_is_shown(
    #[case] change: Change,
    #[case] name: Option<&str>,
) {
    assert_eq!(verify(change).await.unwrap().display_name.as_deref(), name);
}

#[tokio::test]
async fn a_token_ends_by_the_clock_of_the_port() {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let adapter = provider.adapter(&clock);
    let token = provider.draft().claim("exp", json!(now() + 60)).token();
    clock.advance(std::time::Duration::from_millis(59_999));
    adapter.verify(&token).await.unwrap();
    clock.advance(std::time::Duration::from_millis(1));
    assert_eq!(reason(adapter.verify(&token).await), "it has expired");
}

#[expect(clippy::cast_precision_loss, reason = "seconds of this century")]
fn now_and_a_half() -> f64 {
    now() as f64 + 0.5
}
