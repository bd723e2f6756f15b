import { execFileSync } from 'node:child_process'
import { multipart } from '../../interface/multipart.ts'
import { samplePdf } from '../sample-files.ts'

/** Log of the demo's one-shot service. */
export interface DemoLog {
  token: string
  /** Three commands. */
  lines: string[]
}

/** @throws if the token or a line is missing */
export function readDemoLog(output: string): DemoLog {
  const token = /^(?:.*\| )?(eyJ[\w.-]+)$/m.exec(output)?.[1]
  const lines = [...output.matchAll(/^(?:.*?\| )?(curl .*)$/gm)].map((line) => line[1] ?? '')
  if (!token || lines.length < 3) throw new Error(`the demo logged no token or no lines to paste:\n${output}`)
  // Each `up` repeats them: the last ones count.
  return { token, lines: lines.slice(-3) }
}

/** Runs a command of the demo in a shell. */
export const paste = (line: string) => JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' }))

export async function listOf(apiUrl: string, token: string, psp: string): Promise<{ id: string; pspStatus: string }[]> {
  const response = await fetch(`${apiUrl}/chargebacks?limit=100&psp=${psp}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { data: { id: string; pspStatus: string }[] }).data
}

/** Uploads a PDF, which a file process reads before it is stored. @returns the status of the response */
export async function uploadPdf(apiUrl: string, token: string): Promise<number> {
  const { type, body } = multipart([
    { name: 'file', content: samplePdf({ content: 'BT (Proof of delivery) Tj ET' }), filename: 'proof.pdf' },
    { name: 'purpose', content: 'evidence_file' },
  ])
  const headers = { authorization: `Bearer ${token}`, 'reference-account-id': 'demo-shop', 'content-type': type }
  return (await fetch(`${apiUrl}/files`, { method: 'POST', headers, body })).status
}
