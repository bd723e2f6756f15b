import { adapterFor } from '../../adapters/registry.ts'
import { transactionPoints } from '../../adapters/transaction-points.ts'
import { Refusal } from '../../db/core/refusal.ts'
import { type EvidenceSources, loadEvidenceSources } from '../../db/evidence/evidence-facts.ts'
import { overridesOf } from '../../db/evidence/evidence-playbooks.ts'
import { checkPlaybooks, codesWithoutPlay } from '../../domain/evidence/check-playbooks.ts'
import { type Composition, composeEvidence, type EvidenceInput } from '../../domain/evidence/compose.ts'
import { EXHIBIT_KINDS, type ExhibitKind } from '../../domain/evidence/fact-catalogue.ts'
import { unusedSentence } from '../../domain/evidence/overrides.ts'
import { PLAYBOOKS } from '../../domain/evidence/playbooks/index.ts'
import { type Command, required, UsageError } from '../command.ts'
import { asText } from '../print.ts'
import { checkAccount, checkFile, readPlay, setPlaybook, showPlaybooks, showVersion } from './overrides.ts'
import { shownBy } from './preview-files.ts'
import { writePdf } from './preview-pdf.ts'
import { type Preview, previewText } from './preview-text.ts'
import { previewTexts, type TextsPreview } from './preview-texts.ts'

export const playbook: Record<string, Command> = {
  show: {
    summary: 'show the sentences of a playbook, or all playbooks',
    options: {
      'play?': 'e.g. not_received',
      'account?': 'with the own sentences of this account',
      'version?': "print this version of the account's sentences, as a file for `set`",
    },
    async run(context) {
      if (context.given.version !== undefined) return showVersion(context)
      if (context.given.account !== undefined) return showPlaybooks(context)
      if (context.given.play === undefined)
        return PLAYBOOKS.map(({ id, version, statements, manualOnly = false }) => ({
          ...{ play: id, version, sentences: statements.length, manualOnly },
        }))
      const { statements } = readPlay(context)
      return statements.map(({ id, weight, text, exhibits = [] }) => ({ id, weight, files: exhibits.join(' '), text }))
    },
    list: 'all',
    text: (result) => (Array.isArray(result) ? asText(result) : JSON.stringify(result, null, 2)),
  },
  set: setPlaybook,
  check: {
    summary: 'check that every sentence can be written and every reason code has a playbook',
    options: {
      'file?': 'check this file for `set` instead; needs --play',
      'account?': 'check the stored sentences of this account instead',
      'play?': 'e.g. not_received',
    },
    async run(context) {
      const { file, account } = context.given
      if (file !== undefined && account !== undefined) throw new UsageError('give either --file or --account')
      if (file !== undefined) return checkFile(context)
      if (account !== undefined) return checkAccount(context)
      if (context.given.play !== undefined) throw new UsageError('--play needs --file or --account')
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
    options: {
      'files?': `kinds of files to assume, separated by commas: ${EXHIBIT_KINDS.join(', ')}`,
      'pdf?': 'new file for the evidence as a PDF: it holds personal data of the customer',
    },
    flags: { sentences: 'print the sentences too: they hold personal data of the customer' },
    async run(context) {
      const chargebackId = required(context, 'chargebackId')
      const assumed = readKinds(context.given.files)
      const ring = context.ring()
      const sources = await loadEvidenceSources(context.db, ring, chargebackId)
      const input: EvidenceInput = {
        claim: sources.claim,
        sources: [
          ...sources.client,
          ...transactionPoints(adapterFor(sources.psp.source, sources.psp.secretType), sources.context),
          sources.chargeback,
        ],
        ...{ earlier: sources.earlier, earlierPayments: sources.earlierPayments },
        exhibits: assumed,
        overrides: await overridesOf(context.db, chargebackId),
        now: new Date(),
      }
      const sentences = context.flag('sentences')
      const composed = composeEvidence({ ...input, exhibits: [...assumed, ...sources.files.map(({ kind }) => kind)] })
      const { pdf: file } = context.given
      return {
        ...previewOf(composed, sources.files, sentences),
        ...previewTexts(sources, composed, sentences),
        ...(file !== undefined && { pdf: await writePdf({ db: context.db, ring }, { file, input, sources }) }),
      }
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

function previewOf(
  composed: Composition,
  files: EvidenceSources['files'],
  sentences: boolean,
): Omit<Preview, keyof TextsPreview> {
  const { play, playbook: used, overlays, manualOnly, completeness, requiredMissing, missing, facts } = composed
  return {
    ...{ play, version: used.version, override: used.override, overlays },
    ...{ manualOnly, completeness, requiredMissing, missing },
    warnings: [
      ...composed.warnings.map(({ code, message }) => ({ code, message })),
      ...composed.overrideFaults.map((fault) => ({ code: 'override', message: unusedSentence(fault) })),
    ],
    ...shownBy(composed, files, sentences),
    // Names and times, never values.
    facts: Object.entries(facts).map(([fact, { source, name, at }]) => ({ fact, source, name, at })),
  }
}
