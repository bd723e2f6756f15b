import { expect, test } from 'vitest'
import { whyNothingIsBuilt } from '../../../../domain/evidence/answers-claim.ts'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import { PLAY_IDS } from '../../../../domain/evidence/playbooks/playbook.ts'
import { claimOf, FULL_PACKAGES, type PackageCase, sourcesOf } from '../../files/evidence/package-cases.ts'
import { barePackage, thinPackage } from '../../files/evidence/thin-cases.ts'
import { input } from './evidence-input.ts'

const whyOf = (one: PackageCase) =>
  whyNothingIsBuilt(
    composeEvidence(
      input({ claim: claimOf(one), sources: sourcesOf(one), exhibits: one.files.map(({ kind }) => kind) }),
    ),
  )
const ANSWERED = PLAY_IDS.filter((play) => play !== 'compliance')

test.each(ANSWERED)('%s: the name of a product answers nothing, and the sentence says what to send', (play) => {
  expect(whyOf(barePackage(play))).toMatch(/^Nothing that is known answers reason [\d.]+\. Send .+\.$/)
})

test.each(ANSWERED)('%s: what is required answers the claim, and more does, too', (play) => {
  expect([whyOf(thinPackage(play)), whyOf(FULL_PACKAGES[play])]).toEqual([null, null])
})

test('a verdict of a card scheme is answered by a person, whatever the merchant has sent', () => {
  expect(whyOf(FULL_PACKAGES.compliance)).toMatch(/^A person has to answer reason 98: /)
})
