import { type Command, command, refOf, withDispute } from './command.ts'
import { Disagreement } from './life.ts'
import { type Asked, commandOfRound, expectedAnswer } from './rules.ts'

/** Requests of merchants; each response is compared with the model. */

export function asking(of: { which: number; inline: boolean; file?: number }, asked: Asked): Command {
  const { which, inline, file = 0 } = of
  const accepting = asked.kind === 'acceptance'
  const words = accepting ? 'accept' : `submit file ${file} for`
  return command(`${words} ${which}${inline ? '' : ', the API dies'}`, withDispute, async (life) => {
    const { world } = life
    const row = life.known(refOf(life, which))
    if (!row) return 'not known yet'
    const fileId = world.files[file] ?? ''
    const expected = expectedAnswer(row, life.view(), accepting ? asked : { ...asked, fileId })
    world.inline = inline
    const response = accepting
      ? await world.call('POST', `/chargebacks/${row.id}/accept`)
      : await world.call('POST', `/chargebacks/${row.id}/evidence/submit`, { fileId })
    world.inline = true
    const shown = [response.status, response.body.code].filter(Boolean).join(' ')
    if (shown !== expected) throw new Disagreement(`the client got ${shown}, not ${expected}\n${life.story()}`)
    return shown
  })
}

export const fighting = ({ which, fight }: { which: number; fight: boolean }): Command =>
  command(`should-fight ${which} ${fight}`, withDispute, async (life) => {
    const row = life.known(refOf(life, which))
    if (!row) return 'not known yet'
    const { status, body } = await life.world.call('PATCH', `/chargebacks/${row.id}/should-fight`, {
      shouldFight: fight,
    })
    if (status === 201 && commandOfRound(row, life.view())) throw new Disagreement('should-fight next to a command')
    if (status !== 201 && status !== 400) throw new Disagreement(`should-fight returned ${status}\n${life.story()}`)
    return [status, body.code].filter(Boolean).join(' ')
  })

export const ruling = (stage: string | null): Command =>
  command(`rules ${stage ?? 'none'}`, withDispute, async ({ world }) => {
    const rules = stage ? { lifecycleStages: [stage] } : {}
    return String((await world.call('PUT', `/integrations/${world.integrationId}/scope-settings`, rules)).status)
  })
