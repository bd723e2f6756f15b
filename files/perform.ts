import { prepareExhibit } from './evidence/prepare-exhibit.ts'
import { renderEvidence } from './evidence/render.ts'
import { loadTypst } from './evidence/typst.ts'
import { inspectFile } from './inspect.ts'
import type { JobName, Jobs, ProcessPurpose } from './jobs.ts'
import { countPages } from './pdf-pages.ts'
import { loadReader } from './pdf-reader.ts'
import { loadDecoder } from './picture.ts'
import { convertToPdf } from './picture-page.ts'

/** Runs a job in the calling process, without limits. The first job loads the libraries that it needs. */
export async function perform<Name extends JobName>(
  job: Name,
  input: Jobs[Name]['input'],
): Promise<Jobs[Name]['result']>
export async function perform(job: JobName, input: Jobs[JobName]['input']): Promise<Jobs[JobName]['result']> {
  switch (job) {
    case 'inspect':
      return inspectFile(input as Jobs['inspect']['input'])
    case 'countPages':
      return countPages(input.content)
    case 'convertToPdf':
      return convertToPdf(input as Jobs['convertToPdf']['input'])
    case 'prepareExhibit':
      return prepareExhibit(input as Jobs['prepareExhibit']['input'])
    case 'renderEvidence':
      return renderEvidence(input as Jobs['renderEvidence']['input'])
  }
}

/** Loads the libraries of a purpose in advance, so that jobs don't spend time on it. */
export async function loadLibraries(purpose: ProcessPurpose): Promise<void> {
  if (purpose === 'render') await loadTypst()
  else await Promise.all([import('@cantoo/pdf-lib'), loadReader(), loadDecoder()])
}
