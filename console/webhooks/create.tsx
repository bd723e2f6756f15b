import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { navigate } from '../app/navigation.ts'
import { merchantQuery } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { CheckField, focusProblem } from '../parts/form.tsx'
import { Empty } from '../parts/states.tsx'
import { useAct } from '../parts/use-act.ts'
import { readAgain, WEBHOOKS } from './data.ts'
import { EndpointForm, type EndpointValues } from './endpoint-form.tsx'
import { SecretOnce } from './secret-once.tsx'

export function Create({ query }: { query: URLSearchParams }) {
  const { me, merchant, away } = useWho()
  const { act, busy, problem } = useAct()
  const [ed25519, setEd25519] = useState(false)
  const [made, setMade] = useState<{ id: string; secret: string; publicKey?: string }>()
  const suffix = merchantQuery(query)

  async function create(values: EndpointValues) {
    if (busy || away) return
    const body = {
      ...values,
      description: values.description === '' ? undefined : values.description,
      signature: ed25519 ? ('ed25519' as const) : ('hmac' as const),
    }
    const done = await act({
      about: body,
      run: async (key) => setMade(await call('createWebhookEndpoint', { body: body as typeof values, key, merchant })),
      done: 'The endpoint is created. Its secret is shown once.',
    })
    if (!done) focusProblem()
  }
  async function leave(id: string) {
    setMade(undefined)
    await readAgain()
    navigate(`${WEBHOOKS}/${id}${suffix}`)
  }
  return (
    <main>
      <nav class="neighbours" aria-label="List">
        <a href={`${WEBHOOKS}${suffix}`}>‹ Webhooks</a>
      </nav>
      <h1>Add an endpoint</h1>
      {mayManage(me) ? (
        <EndpointForm
          start={{ url: '', description: '', events: ['*'], payload: 'full' }}
          problem={problem}
          buttons={
            <button type="submit" class="primary" aria-disabled={busy || away}>
              {busy ? 'Sending…' : 'Add the endpoint'}
            </button>
          }
          onSend={create}
        >
          <CheckField
            label="Sign with ed25519 too, for receivers that share no secret"
            checked={ed25519}
            onValue={setEd25519}
          />
        </EndpointForm>
      ) : (
        <Empty>People whose role is manage can add an endpoint. Yours is {me.role}.</Empty>
      )}
      {made && <SecretOnce secret={made.secret} publicKey={made.publicKey} onStored={() => leave(made.id)} />}
    </main>
  )
}
