import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { deleteFile } from '../../../db/evidence/file-deletion.ts'
import { requireQuota } from '../../../db/evidence/file-quota.ts'
import { storeFile } from '../../../db/evidence/files.ts'
import type { FilePurpose } from '../../../domain/evidence/file.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { inspectUpload } from '../../files/file-inspection.ts'
import { readUploadForm } from '../../files/upload-form.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { success, successEmpty, uploadErrors, writeErrors } from '../../http/responses.ts'
import { envelope, idempotencyKey, ids } from '../../http/shapes.ts'

const uploaded = z
  .object({
    ...envelope,
    id: ids.file,
    metadata: z.string().optional().openapi({ description: 'As it was given; JSON text of an object.' }),
    checksum: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .openapi({ description: 'MD5 of the content, lower-case hex.' }),
  })
  .openapi('FileUploaded')

const example = {
  status: 201,
  message: 'File stored',
  id: '0198c5a4-2222-7d60-9a55-2f4b1f6f7d10',
  metadata: '{"order":"1001"}',
  checksum: '9e107d9d372bb6826bd81d3542a419d6',
}

const upload = createRoute({
  method: 'post',
  path: '/files',
  operationId: 'uploadFile',
  tags: ['Files'],
  summary: 'Upload a file',
  description:
    'A PDF (`evidence_file`) or a PNG or JPEG picture (`evidence_image`) of at most 6 MB (6,291,456 bytes), told by its ' +
    'bytes and not by its name. `metadata` is JSON text of an object, or parts `metadata[key]` with ' +
    'texts; at most 10,000 bytes, kept as they are. In it, `chargebackId`, `transactionId` or `scope` (`merchant`: for every ' +
    'chargeback) joins the file to evidence, `kind` and `caption` say what it shows; values without a meaning are kept and ' +
    'not used. Codes (400): `malformed_form` (broken off, no boundary), ' +
    '`file_type_not_accepted`, `file_refused` (damaged, encrypted, active, of two kinds at once, or too complex to check; the message says which), ' +
    '`file_quota_exceeded` (the files of the account would pass its limit).',
  request: {
    headers: idempotencyKey,
    body: {
      required: true,
      content: {
        // Read by readUploadForm, because a schema can't bound a form while it arrives.
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['file', 'purpose'],
            additionalProperties: false,
            properties: {
              file: {
                type: 'string',
                format: 'binary',
                contentMediaType: 'application/octet-stream',
                description: 'Its name has 1 to 100 characters; of a path the last part is kept.',
              },
              purpose: {
                type: 'string',
                enum: ['evidence_file', 'evidence_image'],
                description: '`evidence_file` for a PDF, `evidence_image` for a picture.',
              },
              metadata: {
                description: 'JSON text of an object, or an object sent as parts `metadata[key]`.',
                type: 'object',
                additionalProperties: true,
              },
            },
          },
        },
      },
    },
  },
  responses: { 201: success('The file is stored', uploaded, example), ...writeErrors, ...uploadErrors },
})

const remove = createRoute({
  method: 'delete',
  path: '/files/{id}',
  operationId: 'deleteFile',
  tags: ['Files'],
  summary: 'Delete a file',
  description:
    'Its content is gone at once and for good, and counts no longer towards the limit of the account. Refusal (400) beyond ' +
    'validation: `file_in_use` (an evidence submission that is in progress, or whose chargeback the PSP has not decided, ' +
    'or a dry run uses it).',
  request: { headers: idempotencyKey, params: z.object({ id: ids.file }) },
  responses: { 200: successEmpty('The file is deleted'), ...writeErrors },
})

export function fileRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(upload, async (c) => {
    const form = await readUploadForm(c.req.header('content-type'), Buffer.from(await c.req.arrayBuffer()))
    const purpose = form.purpose as FilePurpose
    const { content } = form
    const { accountId } = c.get('principal')
    await requireQuota(deps.db, c.get('merchantUuid'), content.length)
    const { type, addresses } = await inspectUpload(deps.files, accountId, { content, purpose })
    const response = await deps.db.transaction().execute(async (trx) => {
      const file = await storeFile(trx, deps.ring, {
        ...form,
        merchantUuid: c.get('merchantUuid'),
        purpose,
        type,
        addresses,
      })
      const response = {
        status: 201,
        message: 'File stored',
        id: file.fileId,
        ...(file.metadata !== null && { metadata: file.metadata }),
        checksum: file.checksum,
      }
      await storeIdempotentResponse(c, deps, trx, 201, response)
      return response
    })
    return c.json(response, 201)
  })

  routes.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await deps.db.transaction().execute(async (trx) => {
      await deleteFile(trx, { merchantUuid: c.get('merchantUuid'), fileId: id })
      await storeIdempotentResponse(c, deps, trx, 200, undefined)
    })
    return c.body(null, 200)
  })
  return routes
}
