//! Layouts of receipts. None is a real bank's.

use super::ShownPayment;

/// A layout, and how the receipt came to whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// Labels on the left, values on the right.
    Rows,
    /// Each label above its value.
    LabelAbove,
    /// Two columns of labels above values.
    Grid,
    /// A message without labels.
    Chat,
    /// Cents in superscript.
    RaisedCents,
    /// The account's last digits alone.
    MaskedAccount,
    /// The tracking key on two lines.
    BrokenKey,
    /// Light letters on a dark page.
    Dark,
    /// A photo of a screen: tilted, with stripes.
    Photo,
    /// An e-mail that was forwarded.
    Mail,
}

/// Label and value.
type Row = (&'static str, String);

impl Layout {
    /// All layouts.
    pub const ALL: [Self; 10] = [
        Self::Rows,
        Self::LabelAbove,
        Self::Grid,
        Self::Chat,
        Self::RaisedCents,
        Self::MaskedAccount,
        Self::BrokenKey,
        Self::Dark,
        Self::Photo,
        Self::Mail,
    ];

    fn rows(self, payment: &ShownPayment) -> Vec<Row> {
        let (issuer, receiver) = (payment.issuer.0.to_owned(), payment.receiver.0.to_owned());
        let (pesos, cents) = payment.pesos();
        let with_time = |date: String| format!("{date}, {} h", payment.time());
        let folio = format!("{}", 8_812_345_000 + payment.number);
        let concept = format!("Factura {}", 4000 + payment.number);
        match self {
            Self::LabelAbove | Self::Dark => vec![
                ("Importe transferido", payment.amount()),
                ("Comisión", "$5.00".to_owned()),
                ("IVA", "$0.80".to_owned()),
                ("Fecha y hora", with_time(payment.worded_date())),
                ("Cuenta de retiro", "•••• 5678".to_owned()),
                ("CLABE destino", payment.clabe.clone()),
                ("Banco receptor", receiver),
                ("Banco emisor", issuer),
                ("Concepto de pago", concept),
                ("Clave de rastreo", payment.key.clone()),
                ("Folio de operación", folio),
            ],
            Self::Grid => vec![
                ("Monto", format!("{} MXN", &payment.amount()[1..])),
                ("Fecha de operación", payment.slashed_date()),
                ("Cuenta beneficiario", payment.clabe.clone()),
                ("Institución receptora", receiver),
                ("Institución emisora", issuer),
                ("Hora", payment.time()),
                ("Clave de rastreo", payment.key.clone()),
                ("No. de autorización", folio),
            ],
            Self::RaisedCents => vec![
                ("Enviaste", format!("${pesos}<sup>{cents}</sup>")),
                ("Para", "María López Prueba".to_owned()),
                ("Banco destino", receiver),
                ("Cuenta CLABE", payment.clabe.clone()),
                ("Fecha", with_time(payment.short_date())),
                ("Banco ordenante", issuer),
                ("Clave de rastreo", payment.key.clone()),
                ("Referencia", "1234567".to_owned()),
            ],
            Self::MaskedAccount => vec![
                ("Importe", payment.amount()),
                ("Fecha", with_time(payment.short_date())),
                ("Cuenta destino", format!("•••• {}", payment.ending())),
                ("Banco destino", receiver),
                ("Banco emisor", issuer),
                ("Clave de rastreo", payment.key.clone()),
                ("Folio único", folio),
            ],
            _ => vec![
                ("Monto", payment.amount()),
                ("Comisión", "$0.00".to_owned()),
                ("Fecha", with_time(payment.short_date())),
                ("Cuenta origen", "**** 5678".to_owned()),
                ("Banco emisor", issuer),
                ("Cuenta destino", payment.clabe.clone()),
                ("Banco destino", receiver),
                ("Beneficiario", "María López Prueba".to_owned()),
                ("Concepto", concept),
                ("Referencia", format!("{}", 100_000 + payment.number)),
                ("Clave de rastreo", payment.key.clone()),
                ("Folio", folio),
            ],
        }
    }

    pub(super) fn text(self, payment: &ShownPayment) -> String {
        if self == Self::Chat {
            return chat(payment);
        }
        let rows = self.rows(payment);
        let value = |value: &str| raised(value);
        let lines: Vec<String> = match self {
            Self::LabelAbove | Self::Dark => {
                let pairs = rows.iter();
                pairs
                    .flat_map(|(label, it)| [(*label).to_owned(), value(it)])
                    .collect()
            }
            Self::Grid => {
                let pairs = rows.chunks(2);
                let pad = |one: &str, other: &str| format!("{one:<32}{other}");
                let lines = pairs.flat_map(|pair| {
                    let [(one, first), (other, second)] = pair else {
                        return Vec::new();
                    };
                    vec![pad(one, other), pad(first, second)]
                });
                lines.collect()
            }
            Self::Mail => rows
                .iter()
                .map(|(label, it)| format!("> {label}: {it}"))
                .collect(),
            Self::BrokenKey => {
                let lines = rows.iter().flat_map(|(label, it)| match *label {
                    "Clave de rastreo" => {
                        let (head, tail) = it.split_at(it.len() / 2);
                        vec![format!("{label}: {head}"), format!("    {tail}")]
                    }
                    _ => vec![format!("{label}: {it}")],
                });
                lines.collect()
            }
            _ => rows
                .iter()
                .map(|(label, it)| format!("{label}: {}", value(it)))
                .collect(),
        };
        let head = match self {
            Self::Mail => {
                "---------- Mensaje reenviado ----------\nAsunto: Comprobante de transferencia\n\n"
            }
            _ => "Transferencia exitosa\n",
        };
        format!("{head}{}\n", lines.join("\n"))
    }

    pub(super) fn html(self, payment: &ShownPayment) -> String {
        let rows = self.rows(payment);
        let body: String = match self {
            Self::Chat | Self::Mail => {
                format!("<pre>{}</pre>", self.text(payment).replace('>', "&gt;"))
            }
            Self::LabelAbove | Self::Dark => {
                let pairs = rows.iter().map(|(label, it)| {
                    [
                        "<div class=label>",
                        label,
                        "</div><div class=value>",
                        it,
                        "</div>",
                    ]
                    .concat()
                });
                pairs.collect()
            }
            Self::Grid => {
                let cells = rows.iter().map(|(label, it)| {
                    format!("<div><div class=label>{label}</div><div class=value>{it}</div></div>")
                });
                format!("<div class=grid>{}</div>", cells.collect::<String>())
            }
            _ => {
                let lines = rows.iter().map(|(label, it)| {
                    let value = if self == Self::BrokenKey && *label == "Clave de rastreo" {
                        let (head, tail) = it.split_at(it.len() / 2);
                        format!("{head}<br>{tail}")
                    } else {
                        it.clone()
                    };
                    format!("<tr><td class=label>{label}</td><td class=value>{value}</td></tr>")
                });
                format!("<table>{}</table>", lines.collect::<String>())
            }
        };
        let style = match self {
            Self::Dark => "body{background:#16181d;color:#f2f2f2}.label{color:#9aa0aa}",
            Self::Photo => {
                "body{background:#777}main{background:#fff repeating-linear-gradient(0deg,#0001 0 1px,#0000 1px 3px);\
                 transform:rotate(2deg);margin:24px}"
            }
            _ => "",
        };
        format!(
            "<!doctype html><meta charset=utf-8><style>\
             body{{margin:0;font:16px/1.5 'DejaVu Sans',sans-serif;color:#222;background:#fff}}\
             main{{padding:20px;width:500px}}h1{{font-size:20px}}\
             .label{{color:#667}}.value{{font-weight:600}}td{{padding:4px 16px 4px 0;vertical-align:top}}\
             .grid{{display:grid;grid-template-columns:1fr 1fr;gap:14px 24px}}.grid .value{{font-size:13px}}\
             pre{{white-space:pre-wrap;font:inherit}}sup{{font-size:60%}}{style}</style>\
             <main><h1>Transferencia exitosa</h1>{body}</main>"
        )
    }
}

/// A message without labels.
fn chat(payment: &ShownPayment) -> String {
    format!(
        "Hola! ya te transferí {} el {} desde {} a tu cuenta {} de {}\nla clave de rastreo es {}\nsaludos",
        payment.amount(),
        payment.slashed_date(),
        payment.issuer.0,
        payment.clabe,
        payment.receiver.0,
        payment.key
    )
}

/// Superscript digits in place of the element.
fn raised(value: &str) -> String {
    let Some((pesos, cents)) = value.split_once("<sup>") else {
        return value.to_owned();
    };
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let cents = cents.chars().filter_map(|c| c.to_digit(10));
    let cents: String = cents
        .filter_map(|digit| digits.get(digit as usize))
        .collect();
    format!("{pesos}{cents}")
}
