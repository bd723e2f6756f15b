import { SERVICE_OWNED } from '../domain/data-points.ts'
import { FACT_NAMES, FACTS, type FactName, settableNames } from '../domain/evidence/fact-catalogue.ts'
import { playbookOf } from '../domain/evidence/playbooks/index.ts'
import { type Ask, PLAY_IDS, type PlayId, type Weight } from '../domain/evidence/playbooks/playbook.ts'
import { codesOf } from '../domain/evidence/plays.ts'
import { earlierSection, filesSection, listsSection } from './evidence-guide-data.ts'
import { EXAMPLES } from './evidence-guide-examples.ts'

const CLAIMS: Record<PlayId, string> = {
  fraud_cnp: 'Fraud, card not present',
  fraud_cp: 'Fraud, card present',
  not_received: 'Goods or services not received',
  not_described: 'Not as described, defective or counterfeit',
  recurring: 'Cancelled subscription',
  credit: 'Refund not processed',
  cancelled: 'Cancelled goods or services',
  duplicate: 'Charged twice',
  other_means: 'Paid by other means',
  amount: 'Wrong amount, currency or data',
  authorization: 'No authorization',
  compliance: 'Compliance and fraud programmes',
  consumer_general: 'Consumer dispute without a narrower reason',
  general: 'Any other reason',
}

const SCHEMES: Readonly<Record<string, string>> = {
  ...{ visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express', discover: 'Discover' },
}

/** How a value is written, by the fact or its kind. */
const FORMS: Readonly<Record<string, string>> = {
  date: '`2026-03-06`, or with time and zone `2026-03-06T11:42:00+01:00`',
  money: '`12.00 USD`',
  flag: '`true`',
  items: 'list, see above',
  messages: 'list, see above',
  events: 'list, see above',
  check: '`match`; 3-D Secure: `authenticated` or `attempted`',
  cardEntry: '`chip`, `chip_and_pin`, `chip_and_signature`, `contactless` or `contactless_and_pin`',
}

/** `docs/evidence.md`, made from the playbooks. */
export function evidenceGuide(): string {
  return [
    '# Evidence: what to send',
    '',
    '`npm run generate` makes this page from the playbooks of `domain/evidence`.',
    '',
    'Recoup answers each kind of claim with sentences. A sentence is used only if every fact in it is known and nothing',
    'contradicts it. `npm run recoup -- playbook preview <chargebackId>` shows the sentences that the data of one chargeback',
    'supports, the text fields of its PSP filled from them, and what is missing. A data point named like a text field of the',
    'PSP replaces the text of that field.',
    '',
    'While a chargeback is in `building_evidence`, Recoup builds a package: a PDF with the sentences, your files and tables, and',
    'the texts. It is built half a minute after the last change, and again after each further one. When no sentence answers the',
    'claim, its state is `refused`, and a warning names what to send: a round takes one answer.',
    '`GET /chargebacks/{id}/evidence/draft` shows it (`Accept: application/pdf` for the PDF): `requiredMissing` and `missing` name',
    'what to send, `warnings` what can not be used or speaks against you. To approve it, submit its `fileId` with',
    '`POST /chargebacks/{id}/evidence/submit`: the PSP gets exactly that PDF and those texts. You can always submit your own',
    'file instead. An account or a merchant can have packages submitted automatically before the due date, and `PATCH` of the',
    'draft with `{"automatic": false}` holds one back: [interface.md](interface.md#evidence-that-recoup-builds).',
    '',
    'An operator can replace sentences with your own, add some or leave some out: [operating.md](operating.md#playbooks).',
    '',
    'Send data points with `PATCH /chargebacks/{id}`. Names that begin with `transaction` can also be sent with',
    '`POST /transactions`, before there is a chargeback; `transactionCreatedDate` only there. If both have a name, the data',
    "point counts. The PSP's own record of checks and refunds counts before yours, and a refund or shipment is never put together",
    'from two: if the PSP knows a `refundId`, your `refundAmount` and `refundDate` count with the same one or without one.',
    'Each claim below has an example: the body of a `PATCH`, and the files that go with it.',
    '',
    'Data that contradicts itself (a delivery before its shipment, a refund larger than the disputed amount, a postal code that',
    'is not in the address) is not used. The PSP may know another postal code of the customer than that of the delivery: then send',
    '`transactionShippingToZipCode` with the address. A city is no address, alone or with its country or postal code. A signature counts only with a file that shows it. Files are named',
    'by their kind below; the preview uses the uploaded ones, and assumes those that `--files` names. `--pdf evidence.pdf` writes',
    'what can be said as a PDF, with the files as exhibits, a timeline, the lines of the order and the correspondence. Texts in Latin, Greek, Cyrillic,',
    'Arabic, Hebrew, Thai, Devanagari, Chinese, Japanese and Korean letters print; other scripts print as `[?]`.',
    '',
    'Whatever the claim, two things count most: `refundDate` and `refundAmount` if the money went back, and',
    '`customerWithdrewDate` with the message (a file: communication) if the customer withdrew the dispute.',
    'If goods were not received, `customerCommunication` counts if a message was sent after the delivery.',
    '',
    ...filesSection(),
    ...listsSection(),
    ...earlierSection(),
    ...PLAY_IDS.flatMap(sectionOf),
    '## All data points',
    '',
    ...['| data point | form |', '|---|---|', ...pointRows()],
    '',
  ].join('\n')
}

function sectionOf(play: PlayId): string[] {
  const { asks, manualOnly } = playbookOf(play)
  const codes = Object.entries(codesOf(play)).map(
    ([scheme, list]) => `${SCHEMES[scheme]} ${list?.replaceAll(' ', ', ')}`,
  )
  const head = [`## ${CLAIMS[play]}`, '', `\`${play}\`: ${codes.join(' · ')}.`, '']
  if (manualOnly) return [...head, 'No fact of one sale answers it: decide yourself.', '']
  const rows = asks.flatMap(({ when, code, of }) => [
    `| ${code ? `code ${code}, ` : ''}${when ? `if you have ${listOf(when)}` : 'by default'} | ${cell(of, 3)} | ${cell(of, 2)} | ${cell(of, 1)} |`,
  ])
  return [...head, '| sale | required | helps much | helps |', '|---|---|---|---|', ...rows, '', ...exampleOf(play)]
}

function exampleOf(play: PlayId): string[] {
  const example = EXAMPLES[play]
  if (!example) return []
  const files = example.files.map((kind) => `\`${kind}\``).join(', ')
  return ['```json', JSON.stringify(example.points, null, 2), '```', '', `Files: ${files}.`, '']
}

const cell = (asks: readonly Ask[], weight: Weight) =>
  asks
    .filter((ask) => ask.weight === weight)
    .map(({ facts = [], files = [] }) => [
      ...facts.map((fact) => settableNames(fact).map(quoted).join(' and ')),
      ...(files.length > 0 ? [`a file: ${files.join(', ')}`] : []),
    ])
    .map((choices) => [...new Set(choices)].join(' or '))
    .join('; ') || '–'

const listOf = (facts: readonly FactName[]) => [...new Set(facts.flatMap(settableNames))].map(quoted).join(' or ')

const quoted = (name: string) => (name.includes(' ') ? `${name} (\`POST /transactions\`)` : `\`${name}\``)

/** Names that a client can set: not the chargeback's own fields. */
function pointRows(): string[] {
  return FACT_NAMES.flatMap((fact) =>
    (FACTS[fact].names ?? [])
      .filter((name) => !SERVICE_OWNED.has(name) || name === 'transactionCreatedDate')
      .map((name) => `| \`${name}\` | ${FORMS[fact] ?? FORMS[FACTS[fact].kind] ?? 'text'} |`),
  )
}
