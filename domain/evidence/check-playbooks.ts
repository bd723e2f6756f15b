import { CARD_SCHEMES, type CardScheme } from '../chargeback.ts'
import { REASON_CODE_CATALOGUE } from '../reason-codes.ts'
import { faultsOfSentence } from './check-sentence.ts'
import type { Playbook, Statement } from './playbooks/playbook.ts'
import { playOf } from './plays.ts'

/** A fault of a playbook, by where it is. */
export interface PlaybookFault {
  path: string
  message: string
}

export const FILE_WITHOUT_KIND = 'It needs a file, but names no kind.'
export const COMES_TWICE = 'The id comes twice.'

/** Every fault of the playbooks: texts that don't parse or render, and ids that come twice. */
export function checkPlaybooks(playbooks: readonly Playbook[]): PlaybookFault[] {
  return playbooks.flatMap(({ id, statements }) => {
    const ids = statements.map((one) => one.id)
    const twice = ids.filter((one, index) => ids.indexOf(one) !== index)
    return [
      ...twice.map((one) => ({ path: `${id}.${one}`, message: COMES_TWICE })),
      ...statements.flatMap((one) => faultsOf(one).map((message) => ({ path: `${id}.${one.id}`, message }))),
    ]
  })
}

/** Reason codes without a play, as `scheme code`. */
export function codesWithoutPlay(): string[] {
  return CARD_SCHEMES.flatMap((cardScheme: CardScheme) =>
    (REASON_CODE_CATALOGUE[cardScheme] ?? [])
      .filter((reasonCode) => !playOf({ cardScheme, reasonCode, reason: null, amountMinor: 1n }).known)
      .map((code) => `${cardScheme} ${code}`),
  )
}

function faultsOf({ text, optional = [], needsExhibit, exhibits = [] }: Statement): string[] {
  return [...(needsExhibit && exhibits.length === 0 ? [FILE_WITHOUT_KIND] : []), ...faultsOfSentence(text, optional)]
}
