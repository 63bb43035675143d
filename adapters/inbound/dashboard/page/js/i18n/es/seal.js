// Spanish: verdicts on the seal of a proof, by their names in the APIs. In the order of `en/seal.js`.
export default {
  'seal.valid': 'sello válido',
  'seal.valid.help': 'Es la firma de la institución receptora sobre los datos sellados del comprobante.',
  'seal.invalid': 'sello no válido',
  'seal.invalid.help': 'No es la firma de la institución receptora sobre estos datos: los datos o el sello no son los originales.',
  'seal.not_checked': 'sello sin comprobar',
  'seal.not_checked.help': 'No se conoce la clave del certificado, o el sello no se puede leer. No dice nada en contra del comprobante.',
  'seal.file.valid': 'lo sellado, sin alteraciones',
  'seal.file.valid.help': 'Las comprobaciones de lo sellado salieron bien. Ningún sello cubre la clave de rastreo: la respuesta dijo si se comparó con el banco.',
  'seal.file.invalid': 'archivo no confiable',
  'seal.file.invalid.help': 'Al menos una comprobación falló: no confíe en el archivo, aunque su sello sea válido.',
  'seal.file.not_checked': 'archivo sin comprobar del todo',
  'seal.file.not_checked.help': 'No se halló nada malo, pero no todo se pudo comprobar.',
};
