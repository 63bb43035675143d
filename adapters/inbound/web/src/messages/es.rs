//! Spanish, the contract's own language.

use super::Messages;

pub(super) struct Spanish;

impl Messages for Spanish {
    fn interrupted_body(&self) -> &'static str {
        "El cuerpo llegó incompleto; envíe la petición de nuevo."
    }

    fn media_type(&self) -> &'static str {
        "El cuerpo debe ser JSON sin comprimir en UTF-8: envíe el encabezado \
         Content-Type: application/json."
    }

    fn too_large(&self, max_bytes: usize) -> String {
        format!("El cuerpo pasa de {max_bytes} bytes; envíe solamente los campos de la petición.")
    }

    fn request_timeout(&self, seconds: u64) -> String {
        format!(
            "El cuerpo no llegó completo en {seconds} segundos; revise la conexión y envíe la \
             petición de nuevo."
        )
    }

    fn unauthenticated(&self) -> &'static str {
        "No hay una sesión válida; inicie sesión en /login y repita la petición."
    }

    fn cross_site(&self) -> &'static str {
        "La petición viene de un sitio que no está permitido; hágala desde el panel, o pida al \
         operador que permita el origen."
    }

    fn service_unavailable(&self, seconds: u64) -> String {
        format!("El servicio no está disponible; intente de nuevo en {seconds} s.")
    }

    fn internal_error(&self) -> &'static str {
        "Ocurrió un error interno. Intente de nuevo y, si se repite, avise al operador con el \
         valor de X-Request-Id."
    }

    fn route_not_found(&self) -> &'static str {
        "La ruta no existe. Las rutas de la API se describen en /openapi.json y en /docs."
    }

    fn method_not_allowed(&self) -> &'static str {
        "La ruta no acepta este método; use uno de los que indica el encabezado Allow."
    }
}
