import { z } from '@hono/zod-openapi'
import type { Draft } from '../../../db/packages/drafts.ts'
import type { PackageContent } from '../../../domain/evidence/package/package-content.ts'
import { ids, timestamp } from '../../http/shapes.ts'

const words = (description: string) => z.array(z.string()).openapi({ description })
const why = z.string().openapi({ description: 'Why, in a sentence.' })

/** An evidence package as clients see it. */
export const draftShape = z
  .object({
    packageId: z.string().openapi({ format: 'uuid', description: 'Id of this version of the package.' }),
    version: z.number().int().openapi({ description: 'From 1 in each round; grows with each change.' }),
    state: z.enum(['current', 'frozen', 'refused']).openapi({
      description:
        '`current`: it can be submitted. `frozen`: it was. `refused`: nothing could be built, and `warnings` says why.',
    }),
    builtAt: timestamp.openapi({ description: 'When it was built.' }),
    fileId: ids.file.optional().openapi({ description: 'The file to submit: submitting it approves the package.' }),
    completeness: z.number().openapi({ description: '0 to 1: how much of what the claim asks for is there.' }),
    requiredMissing: words('What must be sent for this claim, by data point or kind of file.'),
    missing: words('What would help.'),
    play: z.string().openapi({ description: 'The kind of claim that it answers.' }),
    playbook: z
      .object({
        version: z.number().int().openapi({ description: 'Version of Recoup’s sentences.' }),
        override: z.number().int().optional().openapi({ description: 'Version of the account’s own sentences.' }),
      })
      .openapi({ description: 'The sentences that it was made from.' }),
    texts: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: 'Text fields of the PSP, as they will be sent; not for the role `read`.' }),
    textsLeftOut: z
      .array(z.object({ field: z.string().openapi({ description: 'Name of the text.' }), why }))
      .openapi({ description: 'Texts, or parts of them, that are not sent.' }),
    statements: z
      .array(
        z.object({
          id: z.string().openapi({ description: 'Id of the sentence in the playbook.' }),
          kept: z.boolean().openapi({ description: 'Whether the package says it.' }),
          text: z.string().optional().openapi({ description: 'The sentence; not for the role `read`.' }),
          why: z.string().optional().openapi({ description: 'Why it is left out, by names.' }),
          exhibits: words('Letters of the files that show it.'),
        }),
      )
      .openapi({ description: 'Sentences, said or left out.' }),
    exhibits: z
      .array(
        z.object({
          letter: z.string().openapi({ description: 'Its letter in the package.' }),
          fileId: ids.file,
          kind: z.string().openapi({ description: 'What it shows.' }),
          caption: z
            .string()
            .optional()
            .openapi({ description: 'The client’s words about it; not for the role `read`.' }),
          pages: z.number().int().optional().openapi({ description: 'Its pages in the PDF.' }),
        }),
      )
      .openapi({ description: 'Uploaded files that belong to the package.' }),
    filesLeft: z
      .array(z.object({ fileId: ids.file, why }))
      .openapi({ description: 'Uploaded files that are not part of the package.' }),
    pages: z.number().int().optional().openapi({ description: 'Pages of the PDF.' }),
    bytes: z.number().int().optional().openapi({ description: 'Bytes of the PDF.' }),
    warnings: words('What speaks against the merchant, contradicts itself or can’t be used.'),
    stale: z
      .boolean()
      .openapi({ description: 'The data has changed since: it is built again within a minute or two.' }),
    automatic: z
      .object({
        policy: z.enum(['manual', 'auto']).openapi({ description: 'Whether packages are submitted automatically.' }),
        at: timestamp.optional().openapi({ description: 'When this one would be submitted.' }),
        blockedBy: words('What prevents it now, by stable names.'),
      })
      .openapi({ description: 'Automatic submission of this chargeback.' }),
  })
  .openapi('EvidenceDraft')

export type ShownDraft = z.infer<typeof draftShape>

/** The package, without what tells when it is submitted; `withPersons`: also the words that may name persons. */
export function shownDraft(
  draft: Draft & { content: PackageContent },
  withPersons: boolean,
): Omit<ShownDraft, 'stale' | 'automatic'> {
  const { content, playbookVersion, overrideVersion } = draft
  return {
    ...{ packageId: draft.packageId, version: draft.version, state: draft.state as ShownDraft['state'] },
    builtAt: draft.builtAt.toISOString(),
    ...(draft.fileId !== null && { fileId: draft.fileId }),
    ...{ completeness: draft.completeness, requiredMissing: content.requiredMissing, missing: content.missing },
    ...{ play: draft.play, ...(withPersons && { texts: content.texts }), textsLeftOut: content.textsLeftOut },
    playbook: { version: playbookVersion, ...(overrideVersion !== null && { override: overrideVersion }) },
    statements: content.statements.map(({ text, ...one }) => ({
      ...one,
      ...(withPersons && text !== undefined && { text }),
    })),
    exhibits: content.exhibits.map(({ caption, ...one }) => ({
      ...one,
      ...(withPersons && caption !== undefined && { caption }),
    })),
    filesLeft: content.filesLeft,
    ...(draft.pages !== null && { pages: draft.pages }),
    ...(draft.bytes !== null && { bytes: draft.bytes }),
    warnings: content.warnings,
  }
}
