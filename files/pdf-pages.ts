import type { PageCount } from './jobs.ts'
import { checkObjects } from './pdf-objects.ts'
import { openDocument } from './pdf-reader.ts'

/**
 * Pages of a PDF. All of it is unfolded first, because the PSP's reader does that too: a file that earlier versions
 * accepted can be one that no reader gets through. What the check finds to refuse was the upload's matter.
 */
export async function countPages(content: Uint8Array): Promise<PageCount> {
  await checkObjects(Buffer.from(content.buffer, content.byteOffset, content.byteLength), () => {}).catch(() => null)
  const opened = await openDocument(content)
  if ('fault' in opened) return { pages: null, encrypted: opened.fault === 'encrypted' }
  const { document, encrypted, close } = opened
  try {
    return { pages: document.numPages, encrypted }
  } finally {
    await close()
  }
}
