// Spanish: verdicts on the seal of a proof, by their names in the APIs. In the order of `en/seal.js`.
export default {
  'seal.valid': 'sello válido',
  'seal.valid.help': 'Es la firma de la institución receptora sobre los datos sellados del comprobante.',
  'seal.invalid': 'sello no válido',
  'seal.invalid.help': 'No es la firma de la institución receptora sobre estos datos: los datos o el sello no son los originales.',
  'seal.not_checked': 'sello no comprobado',
  'seal.not_checked.help': 'No se conoce la clave del certificado, o el sello no se puede leer. No dice nada en contra del comprobante.',
};
