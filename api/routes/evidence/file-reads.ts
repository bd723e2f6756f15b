import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { describeFile, readFile } from '../../../db/evidence/files.ts'
import { permits } from '../../../domain/accounts/credential.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success, successBytes } from '../../http/responses.ts'
import { envelope, ids, selector, timestamp } from '../../http/shapes.ts'

const TYPES = ['application/pdf', 'image/png', 'image/jpeg'] as const

const details = z
  .object({
    id: ids.file,
    origin: z
      .enum(['uploaded', 'built'])
      .openapi({ description: 'Whether a client uploaded it, or Recoup built it as evidence.' }),
    type: z.enum(TYPES).openapi({ description: 'Media type, told by the bytes.' }),
    bytes: z.number().int().openapi({ description: 'Size of the content.' }),
    checksum: z.string().openapi({ description: 'MD5 of the content, lower-case hex.' }),
    createdAt: timestamp.openapi({ description: 'When it was stored.' }),
    name: z.string().optional().openapi({ description: 'Its name at the upload; not for the role `read`.' }),
    metadata: z
      .string()
      .optional()
      .openapi({ description: 'As it was given; JSON text of an object; not for the role `read`.' }),
  })
  .openapi('FileDetails')

const example = {
  id: '0198c5a4-2222-7d60-9a55-2f4b1f6f7d10',
  ...{ origin: 'uploaded', type: 'application/pdf', bytes: 41_337, checksum: '9e107d9d372bb6826bd81d3542a419d6' },
  ...{ createdAt: '2026-01-31T09:30:00.000Z', name: 'proof.pdf', metadata: '{"kind":"delivery"}' },
}

const params = z.object({ id: ids.file })

const read = createRoute({
  method: 'get',
  path: '/files/{id}',
  operationId: 'readFile',
  tags: ['Files'],
  summary: 'Read what is known about a file',
  description: 'A file whose content was deleted or erased is 404.',
  request: { headers: selector, params },
  responses: {
    200: success(
      'The file, without its content',
      z.object({ ...envelope, data: details.openapi({ description: 'The file.' }) }).openapi('FileRead'),
      { status: 200, message: 'File retrieved', data: example },
    ),
    ...readErrors,
  },
})

const content = createRoute({
  method: 'get',
  path: '/files/{id}/content',
  operationId: 'readFileContent',
  tags: ['Files'],
  summary: 'Read the content of a file',
  description: 'The bytes as they were uploaded or built. They may show persons: the role `read` does not suffice.',
  request: { headers: selector, params },
  responses: { 200: successBytes('The content', TYPES), ...readErrors },
})

export function fileReadRoutes({ db, ring }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(read, async (c) => {
    const { id: fileId } = c.req.valid('param')
    const { checksum, bytes, origin, ...file } = await describeFile(db, ring, {
      merchantUuid: c.get('merchantUuid'),
      fileId,
    })
    const withPersons = permits(c.get('principal').role, 'work')
    const data = {
      ...{ id: file.fileId, origin, type: file.type as (typeof TYPES)[number], bytes, checksum },
      createdAt: file.createdAt.toISOString(),
      ...(withPersons && { name: file.name, ...(file.metadata !== null && { metadata: file.metadata }) }),
    }
    return c.json({ status: 200, message: 'File retrieved', data }, 200)
  })

  routes.openapi(content, async (c) => {
    const { id: fileId } = c.req.valid('param')
    const file = await readFile(db, ring, { merchantUuid: c.get('merchantUuid'), fileId })
    // The name of a client's file is in no header. A browser that opens the address saves it.
    return c.body(new Uint8Array(file.content), 200, {
      'content-type': file.type,
      'content-disposition': `attachment; filename="${file.fileId}.${file.type.split('/')[1]}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    }) as never
  })
  return routes
}
