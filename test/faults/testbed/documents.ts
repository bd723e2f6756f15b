import { createHash } from 'node:crypto'
import { PDFDocument } from '@cantoo/pdf-lib'
import { upload } from '../../harness/rows.ts'
import type { Dispute, Testbed } from './prepare.ts'

let blank: Promise<Buffer> | undefined

/** A PDF with the dispute's id in plain text: each is different, and an upload shows its dispute. */
export async function documentOf(dispute: Dispute): Promise<Buffer> {
  blank ??= PDFDocument.create().then(async (document) => {
    document.addPage().drawText('Delivered on 5 May.')
    return Buffer.from(await document.save())
  })
  return Buffer.concat([await blank, Buffer.from(`\n% ${dispute.reference} %\n%%EOF\n`)])
}

export const hashOfBytes = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

export const hashOf = async (dispute: Dispute): Promise<string> => hashOfBytes(await documentOf(dispute))

/** Uploads the document to Recoup, as a client does before it contests. @returns the file's id */
export async function prepareFile(testbed: Testbed, dispute: Dispute): Promise<string> {
  return upload(testbed.stack, await documentOf(dispute))
}
