import { MAX_ADDRESSES } from '../../db/erasure/persons.ts'
import type { FilePurpose, FileType } from '../../domain/evidence/file.ts'
import type { Inspection } from '../../files/jobs.ts'
import type { FileProcesses } from '../../files/processes.ts'
import { FileKilled, NoSlot } from '../../files/refusals.ts'
import { ApiError } from '../http/errors.ts'
import { tooManyUploads } from './upload-form.ts'

const TYPES: Record<FileType, string> = {
  'application/pdf': 'a PDF',
  'image/png': 'a PNG picture',
  'image/jpeg': 'a JPEG picture',
}
const ACCEPTED: Record<FilePurpose, string> = { evidence_file: 'a PDF', evidence_image: 'a PNG or JPEG picture' }
const TOO_COMPLEX =
  'file: Is too complex to check. Save it anew with fewer pages, layers or pixels and upload the new file.'

/**
 * Checks a file in a separate process, so that a malicious file can't affect this one.
 * @param account whose queue the check joins
 * @throws ApiError 400 file_type_not_accepted, file_refused; 503 when the check can't start, or can't be run, in time
 */
export async function inspectUpload(
  files: FileProcesses,
  account: string,
  { content, purpose }: { content: Buffer; purpose: FilePurpose },
): Promise<Inspection> {
  const input = { content, purpose, mostAddresses: MAX_ADDRESSES }
  const found = await files.run({ job: 'inspect', account, input }).catch((error) => {
    const isBusy = error instanceof FileKilled && error.reason === 'starved' && !error.final
    if (error instanceof NoSlot || isBusy) throw tooManyUploads()
    if (error instanceof FileKilled) throw new ApiError(400, 'file_refused', TOO_COMPLEX)
    throw error
  })
  if (!('refused' in found)) return found
  if (found.refused === 'content') throw new ApiError(400, 'file_refused', `file: Is refused because ${found.reason}`)
  const is = found.type ? `, and this is ${TYPES[found.type]}` : ''
  throw new ApiError(400, 'file_type_not_accepted', `file: Must be ${ACCEPTED[purpose]} for ${purpose}${is}`)
}
