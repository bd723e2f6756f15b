import { FieldProblem } from '../parts/form.tsx'
import { EVENTS, OBJECTS, objectWords } from './data.ts'

interface EventChecksProps {
  /** Of its first box, for what leads there. */
  id: string
  types: ReadonlySet<string>
  problem: string | undefined
  onTypes: (types: Set<string>) => void
}

/** A checklist of events, with a box for each object that ticks all of its types. */
export function EventChecks({ id, types, problem, onTypes }: EventChecksProps) {
  const change = (names: readonly string[], checked: boolean) => {
    const next = new Set(types)
    for (const name of names) checked ? next.add(name) : next.delete(name)
    onTypes(next)
  }
  return (
    <fieldset aria-describedby={problem ? 'events-problem' : undefined}>
      <legend>Events to send</legend>
      <FieldProblem id="events-problem" text={problem} />
      {OBJECTS.map(([object, own], index) => {
        const chosen = own.filter((type) => types.has(type)).length
        return (
          <div key={object} class="group-checks">
            <label class="check">
              <input
                id={index === 0 ? id : undefined}
                type="checkbox"
                checked={chosen === own.length}
                ref={(box) => {
                  if (box) box.indeterminate = chosen > 0 && chosen < own.length
                }}
                onChange={(event) => change(own, event.currentTarget.checked)}
              />
              <strong>{objectWords(object)}</strong>
              {own.length === 1 && <span class="muted">: {EVENTS[own[0] as keyof typeof EVENTS]}</span>}
            </label>
            {own.length > 1 && (
              <div class="checks">
                {own.map((type) => (
                  <label key={type} class="check">
                    <input
                      type="checkbox"
                      checked={types.has(type)}
                      onChange={(event) => change([type], event.currentTarget.checked)}
                    />
                    {EVENTS[type]}
                  </label>
                ))}
              </div>
            )}
          </div>
        )
      })}
    </fieldset>
  )
}
