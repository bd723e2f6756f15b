import type { Composition } from '../compose.ts'
import { type Exhibit, lettersOf } from '../exhibits.ts'
import type { FactName } from '../fact-catalogue.ts'
import type { Facts } from '../gather-facts.ts'
import type { PlayId } from '../playbooks/playbook.ts'
import { CLAIM_TITLES } from '../plays.ts'
import { type WrittenDate, writeTime } from '../written-dates.ts'
import { type WrittenMoney, writeMoney } from '../written-money.ts'
import { type DocumentExhibit, documentExhibits, type EnclosedFile, ended, see, showsOf } from './document-exhibits.ts'
import { isolated, printedLine } from './printed-text.ts'
import { sourcesOf } from './statement-sources.ts'
import {
  capital,
  cell,
  comparisonTable,
  correspondenceTable,
  type DocumentTable,
  duplicateTable,
  orderTable,
  type PrintedTable,
  timelineTable,
} from './tables.ts'

/** Evidence about one chargeback, ready to be laid out: lines of text, bounded in number and length. */
export interface EvidenceDocument {
  title: string
  subtitle: string
  merchant: string
  /** On each page, because pages get separated. */
  footer: string
  /** Label and value. */
  case: [string, string][]
  /** Each with the letters of the files that show it. */
  statements: string[]
  /** Whose records statements without a file are from, and which others the payment provider recorded; may be empty. */
  sources: string
  tables: PrintedTable[]
  /** The heaviest first. */
  exhibits: DocumentExhibit[]
}

/** UTF-8 bytes of all statements. Layout takes time for each. */
const STATEMENT_BYTES = 100_000
const STATEMENTS = 60
/** Characters of one statement: a sentence with two quotations. */
const STATEMENT = 2_000
const TITLE = 200

const CASE: readonly [label: string, fact: FactName][] = [
  ['Dispute', 'chargebackId'],
  ['Disputed amount', 'amount'],
  ['Date of the dispute', 'postingDate'],
  ['Transaction', 'transactionId'],
  ['Date of the payment', 'transactionCreatedDate'],
  ['ARN', 'arn'],
  ['Card', 'cardLastFourDigits'],
  ['Customer', 'customerName'],
  ['Order', 'orderId'],
  ['Statement descriptor', 'descriptor'],
]

/** In their order, each with the facts of the statements that it shows. */
const TABLES: readonly [(facts: Facts, play: PlayId) => DocumentTable[], readonly FactName[]][] = [
  [duplicateTable, ['duplicateChargeId']],
  [orderTable, ['orderTotal']],
  [comparisonTable, ['earlierPurchaseDates']],
  [timelineTable, []],
  // What the merchant says of a claim is often what was written to the customer.
  [
    correspondenceTable,
    ['messageCaption', 'withdrawalMessage', 'descriptionRebuttal', 'cancellationRebuttal', 'refundRefusalExplanation'],
  ],
]

export interface DocumentInput {
  /** Composed with `mark: isolated`. */
  composed: Pick<Composition, 'play' | 'statements' | 'facts'>
  merchantName: string
  exhibits: readonly Exhibit<EnclosedFile>[]
}

/**
 * The document, and the ids of kept statements that it has no room for. Null when no statement is kept: a document must
 * answer the claim. Pure: equal input gives an equal document.
 */
export function evidenceDocument(input: DocumentInput): { document: EvidenceDocument; left: string[] } | null {
  const { composed, merchantName, exhibits } = input
  const { facts, play } = composed
  const { printed, left } = boundedStatements(composed.statements, exhibits)
  if (printed.length === 0) return null
  const amount = facts.amount?.value as WrittenMoney | undefined
  const line = (text: string) => printedLine(text, TITLE)
  const numbered = printed.map((one, index) => ({ ...one, number: index + 1 }))
  const tables = TABLES.flatMap(([build, shown]) => {
    const numbers = numbered.filter((one) => one.facts.some((name) => shown.includes(name))).map(({ number }) => number)
    return build(facts, play).map((table) => ({ numbers, table: { ...table, shows: showsOf(numbers.map(String)) } }))
  })
  const [merchant, dispute] = [isolated(printedLine(merchantName, TITLE)), textOf(facts, 'chargebackId')]
  const code = textOf(facts, 'reasonCode')
  return {
    left,
    document: {
      title: line(dispute ? `Evidence for dispute ${dispute}` : 'Evidence'),
      subtitle: line(capital([code && `reason ${code}`, CLAIM_TITLES[play]].filter(Boolean).join(': '))),
      merchant,
      footer: [merchant, dispute && line(`dispute ${dispute}`), amount && writeMoney(amount)]
        .filter(Boolean)
        .join(' · '),
      case: [
        ['Merchant', cell(merchantName)],
        ...CASE.flatMap(([label, fact]): [string, string][] => {
          const value = textOf(facts, fact)
          // Not twice: the statement says more about the customer.
          const isSaid = fact === 'customerName' && printed.some((one) => one.facts.includes(fact))
          return value && !isSaid ? [[label, cell(value)]] : []
        }),
      ],
      statements: printed.map(({ text }) => text),
      sources: sourcesOf(
        numbered.map(({ number, letters, facts: used }) => ({ number, facts: used, isEnclosed: letters.length > 0 })),
        facts,
      ),
      tables: tables.map(({ table }) => table),
      exhibits: documentExhibits(exhibits, printed),
    },
  }
}

function textOf(facts: Facts, fact: FactName): string {
  const value = facts[fact]?.value
  if (typeof value === 'string') return fact === 'cardLastFourDigits' ? cardOf(facts, value) : value
  if (typeof value !== 'object') return ''
  if ('minor' in value) return writeMoney(value)
  return 'day' in value ? writeTime(value as WrittenDate) : ''
}

const SCHEMES: Readonly<Record<string, string>> = {
  ...{ visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express', discover: 'Discover' },
}

function cardOf(facts: Facts, digits: string): string {
  const scheme = facts.cardScheme?.value
  const name = typeof scheme === 'string' ? (SCHEMES[scheme] ?? '') : ''
  return `${name} •••• ${digits}`.trim()
}

/** In their order, because the answer to the claim comes first. A statement is printed whole or not at all. */
function boundedStatements(composed: Composition['statements'], exhibits: DocumentInput['exhibits']) {
  const printed: { text: string; letters: string[]; facts: readonly FactName[] }[] = []
  const left: string[] = []
  let bytes = 0
  for (const { id, text, exhibits: kinds, facts, inCaseTable } of composed) {
    if (text === undefined || inCaseTable) continue
    const letters = lettersOf({ exhibits: kinds }, exhibits)
    const said = printedLine(text, Number.POSITIVE_INFINITY)
    const line = letters.length > 0 ? `${ended(said)} ${see(letters)}` : said
    const size = new TextEncoder().encode(line).length
    const fits = [...line].length <= STATEMENT && printed.length < STATEMENTS && bytes + size <= STATEMENT_BYTES
    if (!fits) left.push(id)
    else {
      printed.push({ text: line, letters, facts })
      bytes += size
    }
  }
  return { printed, left }
}
