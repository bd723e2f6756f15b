import { deflateSync } from 'node:zlib'
import { samplePdf, stream } from '../../harness/sample-files.ts'

/** 60 KB that expand to fifteen million objects: 4.5 GB of memory in a parser that keeps them. */
export const nestedArrays = (): Buffer =>
  samplePdf({
    objects: [
      stream(
        deflateSync(Buffer.from(`5 0 [${'<<>>'.repeat(15_000_000)}]`), { level: 9 }),
        '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode',
      ),
    ],
  })
