import { z } from '@hono/zod-openapi'

/** Of the submission and of its dry run. */
export const evidenceBody = z
  .strictObject({ fileId: z.string().min(1).toLowerCase().openapi({ description: 'Id of an uploaded file.' }) })
  .openapi('EvidenceFile')

/** What a plan could not send as it came. */
export const leftOut = {
  dropped: z
    .array(
      z.object({
        what: z.string().openapi({ description: 'Id of the file, name of the text, or place that stays empty.' }),
        why: z.string(),
      }),
    )
    .optional()
    .openapi({ description: 'What is not sent.' }),
  shortened: z
    .array(z.object({ field: z.string(), from: z.number().int(), to: z.number().int() }))
    .optional()
    .openapi({ description: 'Texts that were cut, lengths in characters.' }),
  converted: z
    .object({ from: z.string(), to: z.string() })
    .optional()
    .openapi({ description: 'Types of the file, where it is sent as another one.' }),
}
