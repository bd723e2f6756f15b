import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { navigate } from '../app/navigation.ts'
import { merchantQuery } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { ErrorSummary, focusProblem, Problem, SelectField, TextField } from '../parts/form.tsx'
import { faultsOf, idOf, problemsByField } from '../parts/problems.ts'
import { useAct } from '../parts/use-act.ts'
import { fieldsOf, INTEGRATIONS, type Option, payloadOf, readAgain } from './data.ts'
import { SecretFields, unfilled, withoutSecrets } from './secret-fields.tsx'

const FROM = [
  ['all', 'All that the PSP has, history included'],
  ['now', 'Those that are posted from now on'],
  ['operator', 'None yet: the operator starts it'],
] as const

/** Account, credential and start of one PSP. The credential leaves the page with the service's answer, or with the page: only after a lost answer it is sent again. */
export function ConnectForm({ option, query }: { option: Option; query: URLSearchParams }) {
  const { merchant, away } = useWho()
  const { act, busy, problem } = useAct()
  const { source, displayName, externalIdentifier: identifier, secretTypes, permissions } = option
  const [secretType, setSecretType] = useState(secretTypes[0]?.secretType ?? '')
  const [values, setValues] = useState<Record<string, string>>({ integrationName: displayName })
  const [from, setFrom] = useState<string>('all')
  const [missing, setMissing] = useState<Record<string, string>>({})
  const type = secretTypes.find((one) => one.secretType === secretType)
  const fields = type ? fieldsOf(type) : []
  const all = [
    { name: 'integrationName', title: 'Name', required: true },
    { name: 'externalIdentifier', title: identifier.title, required: true },
    ...fields,
  ]
  const names = all.map(({ name }) => name)
  const refused = problem === undefined ? {} : problemsByField(problem, names)
  const problems: Record<string, string> = { ...refused, ...missing }
  const set = (name: string, value: string) => {
    setValues((former) => ({ ...former, [name]: value }))
    setMissing(({ [name]: _, ...rest }) => rest)
  }

  async function connect(event: Event) {
    event.preventDefault()
    if (busy || away) return
    const empty = unfilled(all, values)
    setMissing(empty)
    if (Object.keys(empty).length > 0) return focusProblem()
    const { integrationName = '', externalIdentifier = '' } = values
    const secret = Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? '']))
    const body = {
      ...{ integrationName: integrationName.trim(), externalIdentifier: externalIdentifier.trim(), source },
      ...{ secretType: secretType as 'APIKEY_ONLY', secretPayload: payloadOf(secret) },
    }
    let id = ''
    const done = await act({
      about: [body, from],
      run: async (key, firstAt) => {
        const start = {
          ...(from === 'now' && { goLiveDate: new Date(firstAt).toISOString() }),
          ...(from === 'operator' && { goLiveDate: null }),
        }
        id = (await call('createIntegration', { body: { ...body, ...start }, key, merchant })).integrationId
      },
      onRefused: () => setValues(withoutSecrets(fields)),
      done: `${integrationName} is stored, and ${displayName} is asked about the credential`,
    })
    if (!done) return focusProblem()
    setValues({})
    await readAgain()
    navigate(`${INTEGRATIONS}/${id}${merchantQuery(query)}`)
  }

  return (
    <form class="form" onSubmit={connect} noValidate>
      <Problem text={refused['']} />
      <ErrorSummary faults={faultsOf(all, problems)} />
      <TextField
        id={idOf('integrationName')}
        label="Name"
        help="Your own name for it, as people here shall read it."
        maxLength={255}
        value={values.integrationName ?? ''}
        problem={problems.integrationName}
        onValue={(value) => set('integrationName', value)}
      />
      <TextField
        id={idOf('externalIdentifier')}
        label={identifier.title}
        help={
          <>
            {identifier.description}
            {identifier.example && (
              <>
                {' '}
                For example <code>{identifier.example}</code>
              </>
            )}
          </>
        }
        maxLength={255}
        value={values.externalIdentifier ?? ''}
        problem={problems.externalIdentifier}
        onValue={(value) => set('externalIdentifier', value)}
      />
      {secretTypes.length > 1 && (
        <SelectField
          label="Kind of the credential"
          value={secretType}
          onValue={(value) => setSecretType(value as typeof secretType)}
          options={secretTypes.map((one) => [one.secretType, one.secretType])}
        />
      )}
      {permissions.length > 0 && (
        <div>
          <strong>What it must be allowed at {displayName}</strong>
          <ul class="plain-list">
            {permissions.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
      <SecretFields {...{ fields, values, problems }} onValue={set} />
      <SelectField label="Chargebacks to handle" value={from} onValue={setFrom} options={FROM} />
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={busy || away}>
          {busy ? 'Sending…' : `Connect ${displayName}`}
        </button>
      </div>
    </form>
  )
}
