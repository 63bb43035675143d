// Spanish. One key a line, in the order of `../en/requests.js`; people are addressed as *usted*.
export default {
  'recent.title': 'Peticiones recientes',
  'recent.all': 'Ver todas',
  'recent.none': 'Todavía no hay peticiones',
  'recent.none_more': 'Cada petición que ningún límite rechaza aparece aquí con su resultado, su tiempo y su id.',
  'recent.try': 'Hacer una prueba',

  'request.at': 'Fecha y hora',
  'request.outcome': 'Resultado',
  'request.checked': 'Comprobado',
  'request.endpoint': 'Endpoint',
  'request.key': 'Clave',
  'request.duration': 'Duración',
  'request.bank_time': 'banco: {time}',
  'request.banks': 'Emisor → receptor',
  'request.to': 'a',
  'request.id': 'Id de la petición',

  'requests.lead': 'Se conserva lo que ayuda a entender cada petición; nunca cuentas, nombres ni montos. Las peticiones que un límite rechazó no están en la lista: se cuentan en «Consumo».',
  'requests.no_match': 'Ninguna petición coincide con los filtros',

  'filter.all': 'Cualquiera',
  'filter.clear': 'Quitar los filtros',
  'filter.span': 'Periodo',
  'filter.key_id': 'Id de la clave',
  'filter.account_id': 'Id de la cuenta',
  'filter.id_shape': 'Un id tiene la forma 0198f3c2-…: 36 caracteres.',
  'filter.request_id_shape': 'Un id de petición tiene de 1 a 64 letras sin acento, dígitos o signos . _ : -',
  'span.day': 'Últimas 24 horas',
  'span.week': 'Últimos 7 días',
  'span.month': 'Últimos 30 días',

  'list.shown.one': 'Se muestra {count}',
  'list.shown.other': 'Se muestran {count}',
  'list.shown_of': '{shown} de {total}',
  'list.more': 'Cargar más',
};
