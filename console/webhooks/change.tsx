import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Dialog } from '../parts/dialog.tsx'
import { focusProblem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { type Endpoint, readAgain } from './data.ts'
import { EndpointForm, type EndpointValues } from './endpoint-form.tsx'

export function Change({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant, away } = useWho()
  const { act, busy, problem } = useAct()
  const { id, url, description = '', events, payload } = endpoint

  async function change(values: EndpointValues) {
    if (busy || away) return
    const body = { ...values, description: values.description === '' ? null : values.description }
    const run = (key: string) => call('updateWebhookEndpoint', { params: { id }, body, key, merchant })
    if (!(await act({ about: body, run, done: 'The endpoint is changed' }))) return focusProblem()
    await readAgain()
    onClose()
  }
  return (
    <Dialog title="Change the endpoint" onClose={busy ? undefined : onClose}>
      <EndpointForm
        start={{ url, description, events, payload }}
        problem={problem}
        buttons={
          <>
            <button type="button" onClick={onClose}>
              Leave it as it is
            </button>
            <button type="submit" class="primary" aria-disabled={busy || away}>
              Save
            </button>
          </>
        }
        onSend={change}
      >
        {endpoint.pending > 0 && <p class="muted">What waits is sent to the new address, too.</p>}
      </EndpointForm>
    </Dialog>
  )
}
