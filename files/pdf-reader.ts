import { fileURLToPath } from 'node:url'
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

export interface PdfDocument {
  document: PDFDocumentProxy
  encrypted: boolean
  close(): Promise<void>
}

type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs')
let library: Promise<PdfJs> | undefined

/** Opens a document as a viewer does, without rendering and without running its scripts. */
export async function openDocument(content: Uint8Array): Promise<PdfDocument | { fault: 'encrypted' | 'damaged' }> {
  const { getDocument, VerbosityLevel } = await loadReader()
  const task = getDocument({
    // A copy, because pdf.js takes ownership of its input.
    data: new Uint8Array(content),
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    // Character maps of Chinese, Japanese and Korean fonts.
    cMapUrl: fileURLToPath(new URL('../../cmaps/', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs'))),
    cMapPacked: true,
  })
  const close = () => task.destroy()
  try {
    const document = await task.promise
    const { info } = await document.getMetadata()
    // An empty password opens it, but changes require a password.
    return { document, encrypted: (info as { EncryptFilterName?: unknown }).EncryptFilterName != null, close }
  } catch (error) {
    await close()
    return { fault: (error as Error).name === 'PasswordException' ? 'encrypted' : 'damaged' }
  }
}

export const loadReader = () => (library ??= load())

/**
 * pdf.js loads a canvas at its start if one is installed, with 19 MB of native code, which texts don't need. It creates
 * one constant with the browser's geometry API, for rendering only.
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
    // Its worker runs in this thread, because the process is already isolated.
    Object.assign(globalThis, { pdfjsWorker: await import('pdfjs-dist/legacy/build/pdf.worker.mjs' as string) })
    return library
  } finally {
    process.getBuiltinModule = getBuiltinModule
  }
}
