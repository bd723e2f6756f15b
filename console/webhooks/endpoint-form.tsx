import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ErrorSummary, focusProblem, Problem, SelectField, TextField } from '../parts/form.tsx'
import { faultsOf, idOf, problemsByField } from '../parts/problems.ts'
import { type Pattern, patternsOf, typesIn } from './data.ts'
import { EventChecks } from './event-checks.tsx'

/** What a person fills in about an endpoint. */
export interface EndpointValues {
  url: string
  description: string
  events: Pattern[]
  payload: 'full' | 'thin'
}

interface EndpointFormProps {
  start: Omit<EndpointValues, 'events'> & { events: readonly string[] }
  /** What the API refused. */
  problem: string | undefined
  children?: ComponentChildren
  buttons: ComponentChildren
  onSend: (values: EndpointValues) => void
}

const PAYLOADS = [
  ['full', 'The object as the API shows it'],
  ['thin', 'Its id and the names of changed fields only'],
] as const

const FIELDS = [
  { name: 'url', title: 'Address' },
  { name: 'description', title: 'What it is' },
  { name: 'events', title: 'Events to send' },
]
const NAMES = FIELDS.map(({ name }) => name)

export function EndpointForm({ start, problem, children, buttons, onSend }: EndpointFormProps) {
  const [url, setUrl] = useState(start.url)
  const [description, setDescription] = useState(start.description)
  const [types, setTypes] = useState(() => typesIn(start.events))
  const [payload, setPayload] = useState<string>(start.payload)
  const [missing, setMissing] = useState<Record<string, string>>({})
  const refused = problem === undefined ? {} : problemsByField(problem, NAMES)
  const problems: Record<string, string> = { ...refused, ...missing }

  function send(event: Event) {
    event.preventDefault()
    const empty = {
      ...(url.trim() === '' && { url: 'Fill in the address.' }),
      ...(types.size === 0 && { events: 'Choose at least one event.' }),
    }
    setMissing(empty)
    if (Object.keys(empty).length > 0) return void focusProblem()
    onSend({ url: url.trim(), description: description.trim(), events: patternsOf(types), payload: payload as 'full' })
  }
  return (
    <form class="form" onSubmit={send} noValidate>
      <Problem text={refused['']} />
      <ErrorSummary faults={faultsOf(FIELDS, problems)} />
      <TextField
        id={idOf('url')}
        label="Address"
        help="https, and reachable from outside. Each event is a POST to it; it must respond with 2xx within 15 seconds."
        type="url"
        maxLength={2_048}
        value={url}
        problem={problems.url}
        onValue={setUrl}
      />
      <TextField
        id={idOf('description')}
        label="What it is (optional)"
        help="For people, for example: Order system."
        maxLength={500}
        value={description}
        problem={problems.description}
        onValue={setDescription}
      />
      <EventChecks id={idOf('events')} types={types} problem={problems.events} onTypes={setTypes} />
      <SelectField label="Content" value={payload} onValue={setPayload} options={PAYLOADS} />
      {children}
      <div class="buttons">{buttons}</div>
    </form>
  )
}
