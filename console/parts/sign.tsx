import type { ComponentChildren } from 'preact'
import type { Schemas } from '../api/operations.ts'
import { nameOf } from './words.ts'

/** Shape and class of the colour next to a status: nothing is shown by the colour alone. */
export type SignOf = readonly [shape: string, tone: 'good' | 'warn' | 'bad' | 'muted']

type Word = NonNullable<Schemas['Chargeback']['pspStatus'] | Schemas['Chargeback']['status']>

/** For the status at the PSP, and the status in Recoup. A status that the API gains and this lacks does not compile. */
export const SIGNS: Readonly<Record<Word, SignOf>> = {
  needs_response: ['▲', 'warn'],
  under_review: ['○', 'muted'],
  won: ['●', 'good'],
  lost: ['■', 'bad'],
  split: ['◐', 'warn'],
  evidence_not_submitted_by_psp: ['◆', 'bad'],
  not_applicable: ['–', 'muted'],
  unknown: ['?', 'muted'],
  waiting_for_data: ['○', 'warn'],
  building_evidence: ['◐', 'good'],
  pending_psp_results: ['●', 'muted'],
  not_represented: ['■', 'muted'],
}

interface SignProps {
  sign: SignOf | undefined
  /** Class of the words besides the colour. */
  class?: string | undefined
  children: ComponentChildren
}

/** A status as shape, word and colour. */
export function Sign({ sign: [shape, tone] = ['', 'muted'], class: name = '', children }: SignProps) {
  return (
    <span class={`${name} ${tone}`}>
      <span aria-hidden="true">{shape}</span> {children}
    </span>
  )
}

/** A status of a chargeback, at the PSP or in Recoup, by name. */
export function StatusName({ word, class: name }: { word: Word | undefined; class?: string | undefined }) {
  return (
    <Sign class={name} sign={word && SIGNS[word]}>
      {nameOf(word)}
    </Sign>
  )
}
