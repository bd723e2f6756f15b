import { useLayoutEffect } from 'preact/hooks'
import { useKeys } from '../app/keys.ts'
import { takeOpened } from '../app/order.ts'

const rows = () => [...document.querySelectorAll<HTMLAnchorElement>('.queue a.open')]
const current = () => document.activeElement?.closest('.queue tr')?.querySelector<HTMLAnchorElement>('a.open') ?? null

/** The focus is the place in the list: Enter opens what has it, as everywhere. */
function move(by: 1 | -1): void {
  const all = rows()
  const at = current()
  const next = at ? all[all.indexOf(at) + by] : all[by > 0 ? 0 : all.length - 1]
  next?.focus()
  next?.closest('tr')?.scrollIntoView({ block: 'nearest' })
}

/** Gives the focus to the row of the chargeback that the person comes back from, before a key can move it. */
export function useReturn(hasRows: boolean): void {
  useLayoutEffect(() => {
    const id = hasRows ? takeOpened() : null
    if (id === null) return
    const row = rows().find(({ dataset }) => dataset.id === id)
    row?.focus()
    row?.scrollIntoView({ block: 'center' })
  }, [hasRows])
}

/** @param onSelect null for people who may not act */
export function useRowKeys(onSelect: ((id: string) => void) | null): void {
  useKeys([
    { keys: 'j', what: 'Next row; Enter opens it', act: () => move(1) },
    { keys: 'k', what: 'Row before', act: () => move(-1) },
    ...(onSelect
      ? [
          {
            keys: 'x',
            what: 'Select the row',
            act: () => {
              const id = current()?.dataset.id
              if (id !== undefined) onSelect(id)
            },
          },
        ]
      : []),
  ])
}
