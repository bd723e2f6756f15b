import { fileURLToPath } from 'node:url'
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

export interface PdfDocument {
  document: PDFDocumentProxy
  encrypted: boolean
  close(): Promise<void>
}

type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs')
let library: Promise<PdfJs> | undefined

/** Opens a document as a viewer does. Nothing of it is drawn, and no code of it runs. */
export async function openDocument(content: Uint8Array): Promise<PdfDocument | { fault: 'encrypted' | 'damaged' }> {
  const { getDocument, VerbosityLevel } = await loadReader()
  const task = getDocument({
    // A copy: pdf.js takes what it is given.
    data: new Uint8Array(content),
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    // Codes of Chinese, Japanese and Korean fonts.
    cMapUrl: fileURLToPath(new URL('../../cmaps/', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs'))),
    cMapPacked: true,
  })
  const close = () => task.destroy()
  try {
    const document = await task.promise
    const { info } = await document.getMetadata()
    // An empty password opens it; readers ask for one to change it.
    return { document, encrypted: (info as { EncryptFilterName?: unknown }).EncryptFilterName != null, close }
  } catch (error) {
    await close()
    return { fault: (error as Error).name === 'PasswordException' ? 'encrypted' : 'damaged' }
  }
}

export const loadReader = () => (library ??= load())

/**
 * pdf.js loads a canvas at its start, with 19 MB of native code, wherever one is installed; texts need none. Of the
 * geometry that browsers have it makes one constant, for drawing.
 */
async function load(): Promise<PdfJs> {
  Object.assign(globalThis, { DOMMatrix: class DOMMatrix {} })
  const { getBuiltinModule } = process
  process.getBuiltinModule = ((name: string) => {
    if (name === 'module') throw new Error('no canvas is loaded')
    return getBuiltinModule(name)
  }) as typeof getBuiltinModule
  try {
    const library = await import('pdfjs-dist/legacy/build/pdf.mjs')
    // Its worker, in this thread: the process is the bound.
    Object.assign(globalThis, { pdfjsWorker: await import('pdfjs-dist/legacy/build/pdf.worker.mjs' as string) })
    return library
  } finally {
    process.getBuiltinModule = getBuiltinModule
  }
}
