import { z } from '@hono/zod-openapi'

/** Body of the submission and of its dry run. */
export const evidenceBody = z
  .strictObject({ fileId: z.string().min(1).toLowerCase().openapi({ description: 'Id of an uploaded file.' }) })
  .openapi('EvidenceFile')

/** Parts of a plan that are left out or changed. */
export const leftOut = {
  dropped: z
    .array(
      z.object({
        what: z.string().openapi({ description: 'Id of the file, name of the text, or place that stays empty.' }),
        why: z.string().openapi({ description: 'Why, in a sentence.' }),
      }),
    )
    .optional()
    .openapi({ description: 'What is not sent.' }),
  shortened: z
    .array(
      z.object({
        field: z.string().openapi({ description: 'Name of the text.' }),
        from: z.number().int().openapi({ description: 'Characters it had.' }),
        to: z.number().int().openapi({ description: 'Characters it keeps.' }),
      }),
    )
    .optional()
    .openapi({ description: 'Texts that were cut, lengths in characters.' }),
  converted: z
    .object({
      from: z.string().openapi({ description: 'Media type of the uploaded file.' }),
      to: z.string().openapi({ description: 'Media type that is sent.' }),
    })
    .optional()
    .openapi({ description: 'Types of the file, where it is sent as another one.' }),
}
