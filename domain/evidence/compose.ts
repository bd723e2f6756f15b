import type { PlaybookFault } from './check-playbooks.ts'
import { deriveFacts, type History } from './derive-facts.ts'
import { type ExhibitKind, type FactName, type PointSource, settableNames } from './fact-catalogue.ts'
import { type Facts, gatherFacts, type Warning } from './gather-facts.ts'
import { isEmpty } from './one-source.ts'
import { type EffectivePlaybook, effectivePlaybook, type Overrides } from './overrides.ts'
import { OVERLAYS, playbookOf } from './playbooks/index.ts'
import {
  type Ask,
  listsFor,
  type OverlayId,
  type Playbook,
  type PlayId,
  type Statement,
  type Weight,
} from './playbooks/playbook.ts'
import { type Claim, playOf } from './plays.ts'
import { parseSentence, renderSentence } from './templates.ts'
import { excludeContradictions } from './warnings/contradictions.ts'
import { playWarnings } from './warnings/play-warnings.ts'

export interface EvidenceInput extends History {
  claim: Claim
  /** In order of precedence: operation 4, operation 1 (latest first), the PSP's transaction, the chargeback. */
  sources: readonly PointSource[]
  /** Kinds of the uploaded files. */
  exhibits: readonly ExhibitKind[]
  /** The account's own sentences. */
  overrides?: Overrides
  /** Changes each text of the data before it is put into a sentence: layout needs marks that fields of a PSP don't. */
  mark?: (text: string) => string
}

export interface ComposedStatement {
  id: string
  kept: boolean
  weight: Weight
  /** Facts that the text uses. */
  facts: FactName[]
  /** Set when kept. */
  text?: string
  /** Why it was dropped, by names. */
  why?: string
  exhibits: ExhibitKind[]
  /** Only text fields have it. */
  inCaseTable?: true
  /** Set if it is the account's own sentence. */
  own?: true
}

/** Versions of Recoup's sentences and of the account's; null if the account has none. */
export type PlaybookVersions<Id extends string> = Pick<EffectivePlaybook<Id>, 'id' | 'version' | 'override'>

export interface Composition {
  play: PlayId
  playbook: PlaybookVersions<PlayId>
  overlays: PlaybookVersions<OverlayId>[]
  /** 0 to 1, two decimals: weight of what the play asks for and has. */
  completeness: number
  /** What a client has to send, by data point or kind of file. */
  requiredMissing: string[]
  missing: string[]
  statements: ComposedStatement[]
  /** Whether a person has to decide. */
  manualOnly: boolean
  warnings: Warning[]
  /** Sentences of the account that can't be used, by path. Recoup's own are said instead. */
  overrideFaults: PlaybookFault[]
  facts: Facts
}

/** A missing requirement caps completeness. */
const CAP = 0.6

/** What can be said about a chargeback with the facts known. Pure: equal input gives equal text. */
export function composeEvidence(input: EvidenceInput): Composition {
  const { play, known } = playOf(input.claim)
  const exhibits = new Set(input.exhibits)
  const given = excludeContradictions(gatherFacts(input.sources, input.now), input.sources, exhibits)
  const facts = deriveFacts(given.facts, input)
  const chosen = playbookOf(play)
  const playbook = effectivePlaybook({ ...chosen, id: play }, input.overrides?.[play])
  const overlays = OVERLAYS.map((overlay) => effectivePlaybook(overlay, input.overrides?.[overlay.id]))
  const composed = [...overlays, playbook].map((one) =>
    composePlaybook(one, (statement) =>
      composeStatement(statement, facts, new Set(given.excluded), exhibits, input.mark),
    ),
  )
  const completeness = completenessOf(listsFor(chosen, input.claim), facts, exhibits)
  const unknown: Warning = { code: 'unknown_reason', facts: [], message: 'The reason of the dispute is not known.' }
  return {
    play,
    playbook: versionsOf(playbook),
    overlays: overlays.map(versionsOf),
    ...completeness,
    missing: [...completeness.missing, ...pictureOf(input)],
    statements: composed.flatMap(({ statements }) => statements),
    manualOnly: chosen.manualOnly ?? false,
    warnings: [...given.warnings, ...(known ? [] : [unknown]), ...playWarnings(play, facts, input.now)],
    overrideFaults: composed.flatMap(({ faults }) => faults),
    facts,
  }
}

/** Links are never followed, because they may lead into the operator's network: the picture has to be uploaded. */
function pictureOf({ sources, exhibits }: EvidenceInput): string[] {
  const isLinked = sources.some(({ points }) => !isEmpty(points.transactionVerificationCustomerPicture))
  return isLinked && !exhibits.includes('photo')
    ? ['a file of kind photo with the picture of transactionVerificationCustomerPicture: links are not followed']
    : []
}

const versionsOf = <Id extends string>({ id, version, override }: EffectivePlaybook<Id>): PlaybookVersions<Id> => ({
  ...{ id, version, override },
})

/** Recoup's own sentence takes the place of one of the account's that can't be written with these facts. */
function composePlaybook(playbook: EffectivePlaybook, compose: (statement: Statement) => ComposedStatement) {
  const faults = [...playbook.faults]
  const statements = playbook.statements.map(({ statement, from, instead }): ComposedStatement => {
    const { id, weight } = statement
    const dropped = (why: string) => ({ id, kept: false, weight, facts: [], why, exhibits: [] })
    if (from === 'off') return dropped('left out by the account')
    if (from === 'default') return compose(statement)
    try {
      const composed = compose(statement)
      if (composed.text !== '') return { ...composed, own: true }
    } catch {
      // The error may quote a value.
    }
    faults.push({ path: `${playbook.id}.${id}`, message: "It can't be written with the facts of this chargeback." })
    return instead ? compose(instead) : dropped("the account's sentence can't be written")
  })
  return { statements, faults }
}

function composeStatement(
  statement: Statement,
  facts: Facts,
  excluded: ReadonlySet<FactName>,
  available: ReadonlySet<ExhibitKind>,
  mark: EvidenceInput['mark'],
): ComposedStatement {
  const { id, weight, unless = [], optional = [] } = statement
  const exhibits = (statement.exhibits ?? []).filter((kind) => available.has(kind))
  const dropped = (why: string): ComposedStatement => ({
    ...{ id, kept: false, weight, facts: [], why, exhibits: [] },
  })
  const sentence = parseSentence(statement.text, optional)
  const missing = sentence.needs.filter((name) => facts[name] === undefined)
  const contradicted = missing.filter((name) => excluded.has(name))
  if (contradicted.length > 0) return dropped(`excluded: ${contradicted.join(', ')}`)
  if (missing.length > 0) return dropped(`missing: ${missing.join(', ')}`)
  const against = unless.filter((name) => facts[name] !== undefined || excluded.has(name))
  if (against.length > 0) return dropped(`contradicted by: ${against.join(', ')}`)
  const said = statement.unlessExhibit?.find((kind) => available.has(kind))
  if (said) return dropped(`said with the file: ${said}`)
  if (statement.needsExhibit && exhibits.length === 0) return dropped(`no file: ${statement.exhibits?.join(', ')}`)
  const used = [...sentence.needs, ...optional.filter((name) => facts[name] !== undefined)]
  return {
    ...{ id, kept: true, weight, facts: used, text: renderSentence(sentence, facts, mark), exhibits },
    ...(statement.inCaseTable && { inCaseTable: true }),
  }
}

type Completeness = Pick<Composition, 'completeness' | 'requiredMissing' | 'missing'>

/** The list of asks that is nearest to complete; the first of equals. */
function completenessOf(lists: Playbook['asks'], facts: Facts, exhibits: ReadonlySet<ExhibitKind>): Completeness {
  let best: Completeness = { completeness: 0, requiredMissing: [], missing: [] }
  const fitting = lists.filter(({ when }) => !when || when.some((name) => facts[name] !== undefined))
  for (const [index, { of }] of fitting.entries()) {
    const one = completenessOfList(of, facts, exhibits)
    if (index === 0 || one.completeness > best.completeness) best = one
  }
  return best
}

function completenessOfList(asks: readonly Ask[], facts: Facts, exhibits: ReadonlySet<ExhibitKind>): Completeness {
  const isThere = ({ facts: names = [], files = [] }: Ask) =>
    names.some((name) => facts[name] !== undefined) || files.some((kind) => exhibits.has(kind))
  const weight = (some: readonly Ask[]) => some.reduce((sum, one) => sum + one.weight, 0)
  const lacking = asks.filter((one) => !isThere(one)).sort((a, b) => b.weight - a.weight)
  const share = Math.round((1 - weight(lacking) / weight(asks)) * 100) / 100
  const isRequired = ({ weight: own }: Ask) => own === 3
  return {
    completeness: lacking.some(isRequired) ? Math.min(share, CAP) : share,
    requiredMissing: lacking.filter(isRequired).map(named),
    missing: lacking.filter((one) => !isRequired(one)).map(named),
  }
}

/** What satisfies an ask, in the words of the interface. */
function named({ facts = [], files = [] }: Ask): string {
  const points = facts.flatMap((fact) => settableNames(fact).join(' and '))
  const kinds = files.length > 0 ? [`a file of kind ${files.join(', ')}`] : []
  return [...new Set([...points, ...kinds])].join(' or ')
}
