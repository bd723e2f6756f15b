import type { PageCount } from './jobs.ts'
import { checkObjects } from './pdf-objects.ts'
import { openDocument } from './pdf-reader.ts'

/**
 * Number of pages of a PDF. Inflates everything first, as the PSP's reader does, because earlier versions accepted
 * files that no reader can open. Other checks belong to the upload.
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
