import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pythonWebhooks } from '../../harness/deploy/generators.ts'
import { answer, receive } from './receivers.ts'
import { openWebhooks } from './webhook-stage.ts'

const python = await pythonWebhooks()
if ('missing' in python) console.warn(`SKIPPED: Python's library verifies no webhook. ${python.missing}`)

test.skipIf('missing' in python)(
  "Python's official library verifies 50 requests, also retried and rotated",
  async () => {
    await using webhooks = await openWebhooks()
    let refusals = 5
    await using receiver = await receive((request, response) => answer(refusals-- > 0 ? 500 : 200)(request, response))
    const { id, secret } = await webhooks.create(receiver.url, { signature: 'ed25519' })
    await webhooks.events(20)
    await webhooks.turn()
    const before = receiver.captured.length
    const rotated = await webhooks.stage.call('POST', `/v1/webhook-endpoints/${id}/rotate-secret`, { body: {} })
    await webhooks.events(25)
    for (let turn = 0; turn < 4; turn++) {
      await webhooks.hurry()
      await webhooks.turn()
    }
    const requests = receiver.captured.map(({ headers, body }, index) => ({
      ...{ headers, body, secrets: index < before ? [secret] : [secret, rotated.body.secret] },
    }))
    expect(requests.length).toBeGreaterThanOrEqual(50)
    const folder = 'folder' in python ? python.folder : ''
    const { stdout, stderr } = spawnSync(join(folder, 'bin', 'python'), ['test/integration/webhooks/verify.py'], {
      input: JSON.stringify(requests),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    const checks = requests.flatMap(({ secrets }) => secrets).length
    expect(JSON.parse(stdout)).toEqual({ verified: checks, refused: checks })
  },
)
