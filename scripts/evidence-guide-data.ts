import { DEVICE_CHARACTERS } from '../adapters/stripe/compelling-evidence.ts'
import { MAX_DAYS, MIN_DAYS } from '../domain/assessment/compelling-evidence.ts'
import { EXHIBIT_KINDS } from '../domain/evidence/fact-catalogue.ts'

/** Metadata of an upload; a test reads it. */
export const UPLOAD_EXAMPLE = {
  chargebackId: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
  kind: 'delivery',
  caption: 'Proof of delivery of 6 March 2026',
}

/** One entry for each list; a test composes them. */
export const LIST_EXAMPLES = {
  orderItems: [{ name: 'Blue running shoes, size 42', quantity: 2, amount: '129.90 USD', sku: 'S-42-B' }],
  customerCommunication: [
    {
      ...{
        sent: '2026-03-07T09:00:00+01:00',
        from: 'ada@example.com',
        to: 'shop@example.com',
        subject: 'Meine Schuhe',
      },
      ...{ body: 'Die Schuhe passen gut.', language: 'de', translation: 'The shoes fit well.' },
      caption: 'The customer has the shoes and is satisfied.',
    },
  ],
  timeline: [{ when: '2026-03-03', what: 'The parcel was handed to DHL.' }],
  customerWithdrewDate: '2026-03-25',
}

const code = (value: object) => ['```json', JSON.stringify(value, null, 2), '```', '']

/** What to say about an uploaded file. */
export const filesSection = (): string[] => [
  '## Files',
  '',
  'Upload files with `POST /files`, before or after the chargeback is there. The metadata of the upload says what the file is',
  'about and what it shows:',
  '',
  '- `chargebackId`: the `id` of the chargeback, or its `chargebackId` at the PSP.',
  "- `transactionId`: the PSP's transaction, or one that you sent with `POST /transactions`.",
  '- `scope`: `merchant` for every chargeback, such as a policy. The file is enclosed where a sentence refers to its kind, and',
  '  never expires.',
  `- \`kind\`: ${EXHIBIT_KINDS.map((kind) => `\`${kind}\``).join(', ')}. Without it \`other\`.`,
  '- `caption`: one line about the file, at most 200 characters.',
  '- `highlight`: parts of its pages that a black frame marks: `[{"page": 1, "x": 0.1, "y": 0.4, "w": 0.5, "h": 0.1}]`, in',
  '  shares of width and height from the upper left corner; at most 20.',
  '',
  ...code(UPLOAD_EXAMPLE),
  'Metadata is yours: Recoup returns it as given, and refuses no value of these keys. An unknown kind counts as `other`. If',
  'several of the first three are given, only the first of them counts. A file with an unknown id is used once a chargeback or',
  'transaction with that id arrives. Ids are stored unsealed, so they may have letters, digits, `_`, `.`, `:` and `-` only: one',
  'with other characters, or that looks like a card number, is not used. If a person is erased, the files of the',
  "person's chargebacks and transactions are erased, too.",
  '',
  'Files get letters by weight: A shows the most important sentence. At most 20 are enclosed, the first of each kind always.',
  'Of a PDF the first 15 pages are printed, with the values of its form and with comments and marks as a viewer shows them.',
  '',
]

/** What two earlier purchases must have, by the names that a client can set. */
export const earlierSection = (): string[] => [
  '## Two earlier transactions',
  '',
  'Visa decides fraud of code 10.4 for the merchant if two earlier purchases show the same customer (compelling evidence 3.0).',
  'Recoup finds them among your `POST /transactions`, says in `compellingEvidence` of `GET /chargebacks/{id}/assessment` what is',
  "missing, and sends them in the PSP's own fields where it has them (Stripe). They count if:",
  '',
  '- they are on the same card, completed, and without a chargeback or a fraud warning;',
  `- they were made ${MIN_DAYS} to ${MAX_DAYS} days before the chargeback;`,
  '- all three share two of `transactionOrderIpAddress`, `transactionOrderDeviceId`, `transactionShippingToFullShippingAddress`,',
  '  `transactionOrderSteamId` (the account) and `transactionOrderEmail`, one of the first two among them.',
  '',
  'Stripe asks for more: `transactionOrderItemsProductDescription` of each purchase, the id of its own charge as the',
  `\`transactionId\`, and a device id of at least ${DEVICE_CHARACTERS} characters. Where nothing was shipped, send the data point`,
  '`merchandiseOrServices` with the value `"merchandise"` or `"services"`.',
  'A dry run names in `dropped` what is missing.',
  '',
]

/** Data points that are lists of objects. */
export const listsSection = (): string[] => [
  '## Lists',
  '',
  "`PATCH /chargebacks/{id}` also accepts these lists. An entry or part that can't be read is left out with a warning that names",
  'it, such as `orderItems[3].amount`; the others are used.',
  '',
  '- `orderItems`: `name`, `quantity`, `amount` of the whole line, `sku`. They are the goods if no description was sent. Of a',
  '  long list the 25 lines of the largest amounts are shown, and what the others add up to.',
  '- `customerCommunication`: `sent` and `body`, and if you have them `from`, `to`, `subject`, `caption`, `language`,',
  '  `translation`. Up to 20 messages, those with a caption first, with at most 600 characters each and without quoted mails.',
  '  The newest caption becomes a sentence.',
  '- `timeline`: `when` and `what`. Up to 40 events, oldest first. A `when` that is no date is shown as written.',
  '',
  'A message of the day of `customerWithdrewDate`, from the name or e-mail address of the order, is quoted as the withdrawal.',
  '`npm run recoup -- playbook preview <chargebackId> --sentences` prints the lists as they are read.',
  '',
  ...code(LIST_EXAMPLES),
]
