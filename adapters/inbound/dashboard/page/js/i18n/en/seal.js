// English: verdicts on the seal of a proof, by their names in the APIs. In the order of `es/seal.js`.
export default {
  'seal.valid': 'seal valid',
  'seal.valid.help': "It is the receiving institution's signature of the proof's sealed data.",
  'seal.invalid': 'seal invalid',
  'seal.invalid.help': "It isn't the receiving institution's signature of this data: the data or the seal isn't the original.",
  'seal.not_checked': 'seal not checked',
  'seal.not_checked.help': "The certificate's key is unknown, or the seal can't be read. It says nothing against the proof.",
  'seal.file.valid': 'sealed data unaltered',
  'seal.file.valid.help': 'All checks of what is sealed went well. No seal covers the tracking key: the answer said if it was compared with the bank.',
  'seal.file.invalid': 'file not to be trusted',
  'seal.file.invalid.help': 'At least one check failed: do not trust the file, even if its seal is valid.',
  'seal.file.not_checked': 'file not fully checked',
  'seal.file.not_checked.help': 'Nothing wrong was found, but not everything could be checked.',
};
