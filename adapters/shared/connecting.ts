/**
 * How people connect a PSP, in the PSP's own words. The words for each field of a secret are in the `meta` of its
 * schema.
 */
export interface ConnectionGuide {
  /** Words for `externalIdentifier`. */
  identifier: { title: string; description: string; example: string }
  /** Fields that the schema lets out and the PSP needs. */
  needs?: readonly string[]
  /** What the credential must be allowed to do, by the PSP's names. */
  permissions: readonly string[]
  /** Where a webhook is made, and what it must send. Absent: the PSP sends none that Recoup reads. */
  webhook?: { where: string; events: readonly string[] }
}
