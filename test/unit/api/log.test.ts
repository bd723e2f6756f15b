import { describe, expect, it } from 'vitest'
import { createLog } from '../../../process/log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog({ name: 'test', level: 'info' }, { write: (line) => void lines.push(line) }))
  return lines.join('')
}

describe('a log line', () => {
  it('contains only listed fields', () => {
    const line = logged((log) => log.info({ requestId: 'r-1', body: { email: 'a@b.example' }, secret: 'x' }, 'request'))
    expect(JSON.parse(line)).toMatchObject({ level: 'info', process: 'test', requestId: 'r-1', msg: 'request' })
    expect(line).not.toMatch(/email|secret/)
  })

  it.each([
    'sk_live_abcdef123456',
    'rk_test_abcdef123456',
    'whsec_abcdef123456',
    'Bearer abc.def.ghi',
    'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2ln',
    'someone@example.com',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    'DE89 3704 0044 0532 0130 00',
    'access_token=abcdef',
  ])('hides %s inside text', (planted) => {
    expect(logged((log) => log.warn({ reason: `before ${planted} after` }, 'x'))).not.toContain(planted)
    expect(logged((log) => log.warn({ error: new Error(`before ${planted} after`) }, 'x'))).not.toContain(planted)
  })

  it('keeps an id whose digits look like a card number', () => {
    const errorId = '42424242-4242-4242-8242-123456789012'
    const line = logged((log) => log.info({ errorId, reason: `see ${errorId}` }, 'x'))
    expect(JSON.parse(line)).toMatchObject({ errorId, reason: `see ${errorId}` })
  })

  it('omits the message of a database error, which may quote a value', () => {
    const error = Object.assign(new Error('invalid input: "planted"'), {
      severity: 'ERROR',
      code: '22P02',
      detail: 'planted',
    })
    const line = logged((log) => log.error({ error }, 'failed'))
    expect(line).toContain('22P02')
    expect(line).not.toContain('planted')
  })

  it('omits the content of a thrown value that is not an Error', () => {
    for (const error of ['sk_live_abcdef123456', { authorization: 'planted' }])
      expect(logged((log) => log.error({ error }, 'failed'))).not.toMatch(/sk_live|planted/)
  })

  it('shows a due date and a count', () => {
    const line = logged((log) => log.warn({ dueDate: new Date(0), found: 3 }, 'x'))
    expect(JSON.parse(line)).toMatchObject({ dueDate: '1970-01-01T00:00:00.000Z', found: 3 })
  })

  it('is one line, whatever the text contains', () => {
    const line = logged((log) => log.info({ reason: 'a\nb\u001b[31m' }, 'x'))
    expect(line.trim().split('\n')).toHaveLength(1)
    expect(line).not.toContain('\u001b')
  })
})
