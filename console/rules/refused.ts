import { useState } from 'preact/hooks'
import { focusProblem } from '../parts/form.tsx'

/**
 * Faults for the summary above a form: those that stopped a preview, until they are corrected. Each fault is shown at its field
 * while a person types; a summary that came and went with it would move the field.
 */
export function useRefused(faults: Readonly<Record<string, string>>) {
  const [stopped, setStopped] = useState<readonly string[]>([])
  return {
    refused: Object.fromEntries(Object.entries(faults).filter(([name]) => stopped.includes(name))),
    /** Whether something must be corrected first; then the person is led to the summary. */
    refuses(): boolean {
      const names = Object.keys(faults)
      setStopped(names)
      if (names.length > 0) focusProblem()
      return names.length > 0
    },
  }
}
