//! Requests of a session, and the isolation of sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::http::{Method, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use domain::proofs::file::RequestedFiles;
use futures::future::join_all;
use ports::outbound::{Bank as _, BankAnswer, BankFiles};

use crate::support::{PDF, READY, RecordedRequest, TestPortal, XML, lookup};

/// A portal that identifies a session by its cookie alone, and serves the proof of its transfer.
#[derive(Default)]
struct Sessions(HashMap<String, String>);

impl Sessions {
    fn answer(&mut self, request: &RecordedRequest) -> Response {
        if request.is_validation() {
            let form = String::from_utf8(request.body.to_vec()).unwrap();
            let mut fields = form.split('&');
            let key = fields.find_map(|field| field.strip_prefix("criterio="));
            let session = format!("S{}!999", self.0.len());
            self.0.insert(session.clone(), key.unwrap().to_owned());
            let cookie = format!("JSESSIONID={session}; path=/; HttpOnly");
            return ([(header::SET_COOKIE, cookie)], Html(READY)).into_response();
        }
        let session = request
            .cookies()
            .and_then(|cookies| cookies.strip_prefix("JSESSIONID="));
        match session.and_then(|session| self.0.get(session)) {
            Some(key) => format!("<?xml version=\"1.0\"?><SPEI_Tercero claveRastreo=\"{key}\"/>")
                .into_response(),
            None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_concurrent_lookups_never_mix_their_cookies() {
    let sessions = Arc::new(Mutex::new(Sessions::default()));
    let portal = TestPortal::start(move |request| {
        let answer = sessions.lock().unwrap().answer(&request);
        async { answer }
    })
    .await;
    let adapter = portal.adapter();
    // Twice, so that the second half meets connections which the first half has used.
    for half in 0..2 {
        let keys: Vec<_> = (0..100).map(|n| format!("MIX{half}{n:03}")).collect();
        let fetches = keys.iter().map(async |key| {
            let answer = adapter.fetch(&lookup(key, RequestedFiles::Xml)).await;
            let answer = answer.unwrap();
            let BankAnswer::Issued(BankFiles { xml: Some(xml), .. }) = answer else {
                panic!("an XML was expected, not {answer:?}");
            };
            String::from_utf8(xml.to_vec()).unwrap()
        });
        for (key, xml) in keys.iter().zip(join_all(fetches).await) {
            assert!(xml.contains(&format!("\"{key}\"")), "{key}: {xml}");
        }
    }
    for request in portal.requests() {
        assert_eq!(request.cookies().is_some(), !request.is_validation());
    }
}

#[tokio::test]
async fn the_form_has_ten_fields_and_the_user_agent_is_the_gateways() {
    let portal = TestPortal::ready(|_| XML).await;
    let lookup = lookup("A&B =1", RequestedFiles::Xml);
    portal.adapter().fetch(&lookup).await.unwrap();
    let RecordedRequest {
        method,
        target,
        headers,
        body,
    } = portal.requests().remove(0);
    assert_eq!(method, Method::POST);
    assert_eq!(target, "/cep/valida.do");
    let kind = "application/x-www-form-urlencoded";
    assert_eq!(headers[header::CONTENT_TYPE], kind);
    let user_agent = format!("cep-gateway/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(headers[header::USER_AGENT], user_agent);
    assert!(!headers.contains_key(header::ACCEPT_ENCODING));
    let mut fields: Vec<_> = std::str::from_utf8(&body).unwrap().split('&').collect();
    fields.sort_unstable();
    let expected = [
        "captcha=c",
        "criterio=A%26B+%3D1",
        "cuenta=014180000000000017",
        "emisor=40012",
        "fecha=16-06-2025",
        "monto=1234.56",
        "receptor=40014",
        "receptorParticipante=0",
        "tipoConsulta=1",
        "tipoCriterio=T",
    ];
    assert_eq!(fields, expected);
}

#[tokio::test]
async fn both_files_come_from_one_session_with_its_newest_cookies() {
    let portal = TestPortal::start(|request| async move {
        let (cookie, body) = match request.target.as_str() {
            "/cep/valida.do" => ("JSESSIONID=a; HttpOnly", READY.as_bytes()),
            "/cep/descarga.do?formato=XML" => ("TS01=b; Path=/", XML),
            _ => ("TS01=c; Path=/", PDF),
        };
        ([(header::SET_COOKIE, cookie)], body)
    })
    .await;
    let lookup = lookup("KEY01", RequestedFiles::Both);
    let answer = portal.adapter().fetch(&lookup).await;
    let files = BankFiles {
        xml: Some(XML.into()),
        pdf: Some(PDF.into()),
    };
    assert_eq!(answer.unwrap(), BankAnswer::Issued(files));
    let expected = [
        ("/cep/valida.do", None),
        ("/cep/descarga.do?formato=XML", Some("JSESSIONID=a")),
        ("/cep/descarga.do?formato=PDF", Some("JSESSIONID=a; TS01=b")),
    ];
    let requests = portal.requests();
    let sent = requests.iter().map(|it| (it.target.as_str(), it.cookies()));
    assert_eq!(sent.collect::<Vec<_>>(), expected);
}
