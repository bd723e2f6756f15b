import { PDFDocument } from '@cantoo/pdf-lib'
import type { StackFile } from '../../local/stack-file.ts'
import { submissionWorkflowId } from '../../workflows/contract.ts'

/** More than any PSP accepts. */
const TOO_MANY_PAGES = 60

/**
 * Tries out, then submits one file as evidence at the simulated Stripe, and one that is refused.
 * @returns ids of the runs that come to an end
 */
export async function playSubmissions(stack: StackFile): Promise<string[]> {
  const headers = { authorization: `Bearer ${stack.tokens.merchant}` }
  const call = async (method: string, path: string, body?: FormData | object) => {
    const json = body !== undefined && !(body instanceof FormData)
    const answer = await fetch(`${stack.apiUrl}${path}`, {
      method,
      headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const upload = async (pages: number): Promise<string> => {
    const document = await PDFDocument.create()
    for (let page = 1; page <= pages; page++) document.addPage().drawText(`Page ${page}`)
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(await document.save())], { type: 'application/pdf' }), 'scene.pdf')
    form.append('purpose', 'evidence_file')
    return (await call('POST', '/files', form)).id
  }
  const { data } = await call('GET', '/chargebacks?psp=stripe&pspStatus=needs_response&limit=100')
  const open = data.filter(
    ({ lifecycleStage, dueDate }: Record<string, string>) =>
      lifecycleStage === 'chargeback' && Date.parse(dueDate ?? '') > Date.now(),
  )
  const [first, second] = open
  if (!first || !second) throw new Error('The demo has no two open chargebacks left at Stripe: start it anew.')
  const [good, bad] = [await upload(1), await upload(TOO_MANY_PAGES)]
  await call('POST', `/chargebacks/${first.id}/evidence/plan`, { fileId: good })
  await call('POST', `/chargebacks/${first.id}/evidence/submit`, { fileId: good })
  const refused = await call('POST', `/chargebacks/${second.id}/evidence/submit`, { fileId: bad })
  for (let status = ''; status !== 'failed'; await new Promise((resolve) => setTimeout(resolve, 200)))
    ({ status } = await call('GET', `/chargebacks/${second.id}/evidence/submit/${refused.id}`))
  const dispute = { source: 'stripe', pspAccount: first.merchantReferenceName, reference: first.chargebackId }
  return [submissionWorkflowId(dispute, 1)]
}
