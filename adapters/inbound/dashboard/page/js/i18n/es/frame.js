// Spanish. One key a line, in the order of `../en/frame.js`; people are addressed as *usted*.
export default {
  'app.name': 'Pasarela CEP',

  'action.cancel': 'Cancelar',
  'action.close': 'Cerrar',
  'action.refresh': 'Actualizar',
  'action.retry': 'Intentar de nuevo',

  'state.loading': 'Cargando…',
  'state.working': 'Un momento…',

  'error.title': 'No se pudo.',
  'error.stale': 'Esto puede no estar al día.',
  'error.network': 'No hay conexión con el servidor. Revise su red e intente de nuevo.',
  'error.unexpected': 'El servidor contestó algo inesperado. Intente de nuevo en un momento.',
  'error.request_id': 'Id de la petición:',

  'nav.main': 'Principal',
  'nav.menu': 'Menú',
  'nav.skip': 'Ir al contenido',
  'nav.overview': 'Resumen',
  'nav.keys': 'Claves de API',
  'nav.requests': 'Peticiones',
  'nav.lookups': 'Consultas',
  'nav.batches': 'Lotes',
  'nav.webhooks': 'Webhooks',
  'nav.own_accounts': 'Cuentas propias',
  'nav.try': 'Probar',
  'nav.verify': 'Comprobar',
  'nav.admin': 'Administración',

  'theme.dark': 'Tema oscuro',
  'theme.light': 'Tema claro',

  'role.MEMBER': 'Miembro',
  'role.ADMIN': 'Administrador',
  'person.plan': 'plan {plan}',
  'person.sign_out': 'Salir',

  'sign_in.title': 'Comprobantes de pago para sus programas',
  'sign_in.intro': 'Administre sus claves de API, vea su consumo y pruebe el servicio.',
  'sign_in.action': 'Entrar',
  'sign_in.ended': 'Su sesión terminó',
  'sign_in.ended_more': 'Entre de nuevo y volverá a donde estaba.',
  'sign_in.privacy': 'La sesión se guarda en una cookie que solo usa este servicio.',

  'forbidden.title': 'Administración',
  'forbidden.what': 'Esta parte es solo para administradores',
  'forbidden.more': 'Si la necesita, pida a quien opera el servicio que le dé ese rol y entre de nuevo.',
  'forbidden.back': 'Ir al resumen',
  'nowhere.title': 'Aquí no hay nada',
  'nowhere.what': 'Esta página no existe',

  'copy.copied': 'Copiado',
  'copy.done': 'Copiado al portapapeles.',
  'copy.request_id': 'Copiar el id de la petición',
  'copy.failed': 'El navegador no permitió copiar; selecciónelo y cópielo a mano.',
};
