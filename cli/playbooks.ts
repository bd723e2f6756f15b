import { adapterFor } from '../adapters/registry.ts'
import { Refusal } from '../db/core/refusal.ts'
import { type EvidenceSources, loadEvidenceSources } from '../db/evidence/evidence-facts.ts'
import { checkPlaybooks, codesWithoutPlay } from '../domain/evidence/check-playbooks.ts'
import { type Composition, composeEvidence } from '../domain/evidence/compose.ts'
import { EXHIBIT_KINDS, type ExhibitKind } from '../domain/evidence/fact-catalogue.ts'
import type { PointSource } from '../domain/evidence/gather-facts.ts'
import { PLAYBOOKS } from '../domain/evidence/playbooks/index.ts'
import { type Command, oneOf, required, UsageError } from './command.ts'
import { type Preview, previewText } from './preview-text.ts'
import { previewTexts, type TextsPreview } from './preview-texts.ts'

export const playbook: Record<string, Command> = {
  show: {
    summary: 'show the sentences of a playbook, or all playbooks',
    options: { 'play?': 'e.g. not_received' },
    async run(context) {
      const ids = PLAYBOOKS.map(({ id }) => id)
      if (context.given.play === undefined)
        return PLAYBOOKS.map(({ id, version, statements, manualOnly = false }) => ({
          ...{ play: id, version, sentences: statements.length, manualOnly },
        }))
      const play = oneOf(context, 'play', ids)
      const { statements = [] } = PLAYBOOKS.find(({ id }) => id === play) ?? {}
      return statements.map(({ id, weight, text, exhibits = [] }) => ({ id, weight, files: exhibits.join(' '), text }))
    },
  },
  check: {
    summary: 'check that every sentence can be written and every reason code has a playbook',
    async run() {
      const faults = [
        ...checkPlaybooks(PLAYBOOKS).map(({ path, message }) => `${path}: ${message}`),
        ...codesWithoutPlay().map((code) => `${code}: There is no playbook.`),
      ]
      if (faults.length > 0) throw new Refusal('invalid', 'playbook_invalid', faults.join('\n'))
      return {
        playbooks: PLAYBOOKS.length,
        sentences: PLAYBOOKS.flatMap(({ statements }) => statements).length,
        faults,
      }
    },
  },
  preview: {
    summary: 'show what Recoup can say about a chargeback, and which data is missing',
    argument: 'chargebackId',
    options: { 'files?': `kinds of files to assume, separated by commas: ${EXHIBIT_KINDS.join(', ')}` },
    flags: { sentences: 'print the sentences too: they hold personal data of the customer' },
    async run(context) {
      const chargebackId = required(context, 'chargebackId')
      const exhibits = readKinds(context.given.files)
      const sources = await loadEvidenceSources(context.db, context.ring(), chargebackId)
      const composed = composeEvidence({
        claim: sources.claim,
        sources: [...sources.client, ...pspSource(sources.context), sources.chargeback],
        earlier: sources.earlier,
        exhibits,
        now: new Date(),
      })
      const sentences = context.flag('sentences')
      return { ...previewOf(composed, sentences), ...previewTexts(sources, composed, sentences) }
    },
    text: previewText,
  },
}

function readKinds(given: string | undefined): ExhibitKind[] {
  const words = given?.split(',').map((word) => word.trim()) ?? []
  const unknown = words.filter((word) => !EXHIBIT_KINDS.includes(word as ExhibitKind))
  if (unknown.length > 0) throw new UsageError(`--files must be some of ${EXHIBIT_KINDS.join(', ')}`)
  return words as ExhibitKind[]
}

/** The PSP's transaction, if the adapter can read it. */
function pspSource(context: EvidenceSources['context']): PointSource[] {
  if (!context) return []
  try {
    const facts = adapterFor(context.source, context.secretType)?.toTransaction?.({
      reference: null,
      text: context.text,
    })
    return facts ? [{ source: 'psp', points: facts.dataPoints, at: context.at }] : []
  } catch {
    return []
  }
}

function previewOf(composed: Composition, sentences: boolean): Omit<Preview, keyof TextsPreview> {
  const {
    play,
    playbook: used,
    manualOnly,
    completeness,
    requiredMissing,
    missing,
    statements,
    warnings,
    facts,
  } = composed
  return {
    ...{ play, version: used.version, manualOnly, completeness, requiredMissing, missing },
    warnings: warnings.map(({ code, message }) => ({ code, message })),
    statements: statements.map(({ text, ...one }) => (sentences && text ? { ...one, text } : one)),
    // Names and times, never values.
    facts: Object.entries(facts).map(([fact, { source, name, at }]) => ({ fact, source, name, at })),
  }
}
