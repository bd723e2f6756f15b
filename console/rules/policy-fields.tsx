import { useId } from 'preact/hooks'
import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { FieldProblem, SelectField, TextField } from '../parts/form.tsx'
import { idOf } from '../parts/problems.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { PLAY_NAMES } from './play-names.ts'
import type { Play, PolicyDraft, PolicyFaults } from './policy-data.ts'

const MODES = [
  ['', 'As the account'],
  ['manual', 'People submit'],
  ['auto', 'Recoup submits'],
] as const

const TITLES = {
  hours: 'Hours before the due date',
  completeness: 'Completeness, at least',
  amounts: 'Smallest amounts',
  plays: 'Kinds of claims',
} as const satisfies Record<keyof PolicyFaults, string>
/** Fields that can be wrong, in their order. */
export const POLICY_FIELDS = Object.entries(TITLES).map(([name, title]) => ({ name, title }))

interface PolicyFieldsProps {
  draft: PolicyDraft
  faults: PolicyFaults
  onDraft: (change: (former: PolicyDraft) => PolicyDraft) => void
}

export function PolicyFields({ draft, faults, onDraft }: PolicyFieldsProps) {
  const set = (change: Partial<PolicyDraft>) => onDraft((former) => ({ ...former, ...change }))
  return (
    <>
      <p class="muted">An empty field is as the account has it.</p>
      <SelectField
        label="Who submits"
        value={draft.mode}
        onValue={(mode) => set({ mode: mode as PolicyDraft['mode'] })}
        options={MODES}
      />
      <TextField
        id={idOf('hours')}
        label={TITLES.hours}
        help="30 to 240. Until then a person can answer instead."
        inputMode="decimal"
        value={draft.hours}
        problem={faults.hours}
        onValue={(hours) => set({ hours })}
      />
      <TextField
        id={idOf('completeness')}
        label={TITLES.completeness}
        help="In percent of the data that such a claim asks for."
        inputMode="decimal"
        value={draft.completeness}
        problem={faults.completeness}
        onValue={(completeness) => set({ completeness })}
      />
      <TextField
        id={idOf('amounts')}
        label={TITLES.amounts}
        help="For example: EUR 20, USD 25. Smaller ones are left to people; other currencies have no limit."
        value={draft.amounts}
        problem={faults.amounts}
        onValue={(amounts) => set({ amounts })}
      />
      <Plays draft={draft} fault={faults.plays} onPlays={(plays) => set({ plays })} />
    </>
  )
}

interface PlaysProps {
  draft: PolicyDraft
  fault: string | undefined
  onPlays: (plays: readonly Play[] | null) => void
}

/** Kinds of claims: all, or some. */
function Plays({ draft: { plays }, fault, onPlays }: PlaysProps) {
  const { merchant } = useWho()
  const { data, failure, again } = useRead('listPlaybooks', { merchant })
  const offered = (data?.data ?? [])
    .filter(({ manualOnly, overlay }) => !manualOnly && !overlay)
    .map(({ play }) => play as Play)
  const problem = useId()
  return (
    <fieldset aria-describedby={fault && data ? problem : undefined}>
      <legend>{TITLES.plays}</legend>
      <label class="check">
        <input
          id={idOf('plays')}
          type="checkbox"
          checked={plays !== null}
          onChange={(event) => onPlays(event.currentTarget.checked ? [] : null)}
        />
        Only some
      </label>
      <FieldProblem id={problem} text={data && fault} />
      {plays !== null && !data && (failure ? <Failed failure={failure} again={again} /> : <Loading rows={3} />)}
      {plays !== null && (
        <div class="checks">
          {offered.map((play) => (
            <label key={play} class="check">
              <input
                type="checkbox"
                checked={plays.includes(play)}
                onChange={(event) =>
                  onPlays(event.currentTarget.checked ? [...plays, play] : plays.filter((one) => one !== play))
                }
              />
              {PLAY_NAMES[play]}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  )
}
