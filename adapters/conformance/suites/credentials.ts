import assert from 'node:assert/strict'
import { PspError } from '../../errors.ts'
import { type Bench, readOverHttp, refusal, secretOf } from '../bench.ts'
import { must, type Suite, skip } from '../check.ts'

/** Each credential problem gets an error that an engineer can act on. */
export const credentialsSuite: Suite = {
  name: 'credentials',
  checks: [
    { name: 'a valid credential is reported with its account', run: valid },
    { name: 'a wrong key is auth_failed', run: (bench) => refused(bench, 'refusedSecretPayload', 'auth_failed') },
    {
      name: 'a key without the permission is permission_missing',
      run: (bench) => refused(bench, 'restrictedSecretPayload', 'permission_missing'),
    },
    { name: 'a malformed credential is config_invalid, before any call', run: malformed },
    { name: 'another account has its own disputes', run: accounts },
    { name: 'an account that there is not is refused', run: invented },
    { name: 'a credential that changed hands is noticed', run: changedHands },
  ],
}

async function valid(bench: Bench) {
  // Some PSPs name the account only on its disputes.
  await bench.create({ count: 1 })
  const report = await bench.connect({ pspAccount: null }).checkCredentials()
  assert.equal(report.pspAccount, bench.account)
  assert.notEqual(report.mode, 'live')
  must(report.findings.length > 0, 'nothing was found out')
  must(
    report.findings.every((finding) => finding.permission !== '' && finding.hint !== ''),
    'a finding says nothing',
  )
  must(
    report.findings.every((finding) => finding.state !== 'missing'),
    'a valid credential lacks something',
  )
}

async function refused(bench: Bench, payload: 'refusedSecretPayload' | 'restrictedSecretPayload', kind: string) {
  const secret = secretOf(bench.subject, bench.subject.simulator[payload])
  const error = await refusal(bench.connect({ secret }).checkCredentials())
  assert.equal(error.kind, kind)
  assert.equal((await refusal(readOverHttp(bench, bench.connect({ secret })))).kind, kind)
}

async function malformed(bench: Bench) {
  for (const payload of bench.subject.malformedSecrets) {
    const secret = secretOf(bench.subject, payload)
    assert.throws(
      () => bench.connect({ secret }),
      (error) => error instanceof PspError && error.kind === 'config_invalid',
    )
  }
  assert.equal(bench.requested.length, 0)
}

async function accounts(bench: Bench) {
  const { externalIdentifier: other, secretPayload } = bench.subject.simulator
  const [mine] = await bench.create({ count: 1 })
  const [theirs] = await bench.create({ count: 1, account: other })
  const { cursor } = bench.subject.definition
  const list = async (externalIdentifier: string) => {
    const page = await bench
      .connect({
        externalIdentifier,
        ...(externalIdentifier === other && { secret: secretOf(bench.subject, secretPayload) }),
      })
      .listDisputes({ cursor: cursor.initial(bench.now()), oldestOpen: null })
    return page.items.map((item) => item.reference)
  }
  assert.deepEqual(await list(bench.account), [mine])
  assert.deepEqual(await list(other), [theirs])
}

async function invented(bench: Bench) {
  const { inventedAccount: externalIdentifier } = bench.subject
  if (externalIdentifier === undefined) skip('the adapter compares the account itself (its own tests of credentials)')
  await bench.create({ count: 1 })
  // Checked twice, because the first check must not create the account.
  for (const _ of ['once', 'again']) {
    const error = await refusal(bench.connect({ externalIdentifier, pspAccount: null }).checkCredentials())
    must(['config_invalid', 'permission_missing', 'auth_failed', 'not_found'].includes(error.kind), error.kind)
  }
}

async function changedHands(bench: Bench) {
  const { externalIdentifier: other, secretPayload } = bench.subject.simulator
  const connected = () => bench.connect().confirmAccount
  if (connected() === undefined) skip('the adapter is not told to whom a credential belongs, beyond its checks')
  assert.equal(await connected()?.(), bench.account)
  await bench.control('POST', `/accounts/${other}/keys`, { key: secretPayload.apiKey })
  const now = await connected()?.().catch((error: unknown) => {
    must(error instanceof PspError && error.kind === 'permission_missing', String(error))
    return null
  })
  assert.notEqual(now, bench.account)
}
