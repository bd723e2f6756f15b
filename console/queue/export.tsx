import { useState } from 'preact/hooks'
import { request } from '../api/call.ts'
import type { Operations } from '../api/operations.ts'
import { announce } from '../parts/announce.tsx'

interface ExportProps {
  merchant: string | undefined
  query: Operations['exportChargebacks']['query']
}

/** All rows of the view as a file. A link would send no headers of merchant and person, and its request is refused as a page's. */
export function Export({ merchant, query }: ExportProps) {
  const [state, setState] = useState<'idle' | 'busy' | string>('idle')
  async function download() {
    setState('busy')
    try {
      const response = await request('exportChargebacks', { merchant, query: { ...query, format: 'csv' } })
      const link = document.createElement('a')
      link.href = URL.createObjectURL(await response.blob())
      link.download = 'chargebacks.csv'
      link.click()
      URL.revokeObjectURL(link.href)
      setState('idle')
      announce('Exported')
    } catch (failure) {
      setState((failure as Error).message)
      announce((failure as Error).message, { urgent: true })
    }
  }
  const busy = state === 'busy'
  return (
    <span class="export">
      <button type="button" aria-disabled={busy} onClick={() => !busy && download()}>
        {busy ? 'Exporting…' : 'Export CSV'}
      </button>
      {!busy && state !== 'idle' && <span class="bad"> {state}</span>}
    </span>
  )
}
