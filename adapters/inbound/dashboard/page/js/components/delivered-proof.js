// The proof of a stored lookup, with its files.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Notice } from './feedback.js';
import { Icon } from './icon.js';
import { EarlierDeliveries, Payment, ProofFacts, ProofNotices } from './proof-facts.js';
import { SealVerdict } from './seal-verdict.js';

const lower = (word) => word && word.toLowerCase();

// A delivery as the REST API writes a proof, whose members the other views show.
const proofOf = ({ proof, seal, sealedFields }) => ({
  cep: proof,
  sello: { ...seal, estado: lower(seal.verdict), motivo: lower(seal.reason) },
  campos_sellados: sealedFields,
});

export function DeliveredProof({ of: delivery }) {
  const proof = proofOf(delivery);
  return html`
    ${proof.sello.estado === 'invalid' && html`<${Notice} tone="bad" testid="seal-invalid"><p><strong>${t('proof.distrust')}</strong></p></${Notice}>`}
    <${EarlierDeliveries} seen=${delivery.earlier} />
    <${Payment} proof=${proof} />
    <${ProofNotices} of=${delivery.notices} />
    <${ProofFacts} proof=${proof} />
    <${SealVerdict} seal=${proof.sello} covered=${proof.campos_sellados} />
    <div class="row">
      ${delivery.files.map(({ extension, path }) => html`
        <a key=${extension} class="button" href=${path} download data-testid=${`file-${extension}`}><${Icon} name="download" />${t(`lookup.file.${extension}`)}</a>`)}
    </div>`;
}
