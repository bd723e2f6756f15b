import { useState } from 'preact/hooks'
import { request } from '../api/call.ts'
import type { Operations } from '../api/operations.ts'
import { announce } from '../parts/announce.tsx'
import { Failed } from '../parts/states.tsx'

interface ExportProps {
  merchant: string | undefined
  query: Operations['exportChargebacks']['query']
}

/** All rows of the view as a file. A link would send no headers of merchant and person, and its request is refused as a page's. */
export function Export({ merchant, query }: ExportProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Error>()
  async function download() {
    setBusy(true)
    setFailure(undefined)
    try {
      const response = await request('exportChargebacks', { merchant, query: { ...query, format: 'csv' } })
      const link = document.createElement('a')
      link.href = URL.createObjectURL(await response.blob())
      link.download = 'chargebacks.csv'
      link.click()
      URL.revokeObjectURL(link.href)
      announce('Exported')
    } catch (error) {
      setFailure(error as Error)
    }
    setBusy(false)
  }
  return (
    <div class="export">
      <button type="button" aria-disabled={busy} onClick={() => !busy && download()}>
        {busy ? 'Exporting…' : 'Export CSV'}
      </button>
      {failure && <Failed failure={failure} again={download} />}
    </div>
  )
}
