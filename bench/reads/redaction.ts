import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { createLog } from '../../process/log.ts'
import { ownTime } from '../runner/clocks.ts'

/** What a list request logs. */
const fields = () => ({
  requestId: randomUUID(),
  method: 'GET',
  route: '/v1/chargebacks',
  status: 200,
  durationMs: 3.4,
  credentialId: randomUUID(),
})

/** CPU of redaction for the line of a request: the product's log next to pino with the same fields, µs. */
export async function redactionUs(lines: number): Promise<number> {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  const redacting = createLog({ name: 'api', level: 'info' }, nowhere())
  const plain = pino(
    {
      base: { process: 'api' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    nowhere(),
  )
  const given = Array.from({ length: 1_000 }, fields)
  const perLine = async (log: typeof plain) => {
    const { cpuMs } = await ownTime(async () => {
      for (let n = 0; n < lines; n++) log.info(given[n % given.length], 'request')
    })
    return (cpuMs * 1000) / lines
  }
  // Compilers warm up on both.
  for (const log of [redacting, plain]) await perLine(log)
  return (await perLine(redacting)) - (await perLine(plain))
}
