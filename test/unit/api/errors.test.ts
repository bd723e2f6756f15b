import { describe, expect, it } from 'vitest'
import { ApiError, errorBody, toApiError } from '../../../api/http/errors.ts'
import { Refusal } from '../../../db/core/refusal.ts'

const failing = (code: string, message = 'x') => Object.assign(new Error(message), { code })

describe('the shape of an error', () => {
  it('is status, message, errorId, error and code', () => {
    expect(errorBody(new ApiError(404, 'chargeback_not_found', 'There is none.'))).toEqual({
      status: 404,
      message: 'There is none.',
      errorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      error: 'Not Found',
      code: 'chargeback_not_found',
    })
  })
})

describe('what a failure becomes', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '53300', '08006'])(
    '503 when Postgres is away: %s',
    (code) => {
      expect(toApiError(failing(code))).toMatchObject({ status: 503, code: 'service_unavailable' })
    },
  )

  it.each(['53100', '53200', '58030', 'EMFILE', 'ENOMEM', 'ERR_WORKER_INIT_FAILED'])(
    '503 when room, memory or descriptors are short: %s',
    (code) => {
      expect(toApiError(failing(code))).toMatchObject({ status: 503, code: 'service_unavailable' })
    },
  )

  it.each(['57014', '55P03', '40001', '40P01'])('503 when another request was in its way: %s', (code) => {
    expect(toApiError(failing(code))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })

  it('503 when no connection could be had, also as one of several errors', () => {
    expect(toApiError(new Error('timeout exceeded when trying to connect')).status).toBe(503)
    expect(toApiError(new Error('Connection terminated unexpectedly')).status).toBe(503)
    expect(toApiError(new AggregateError([failing('ECONNREFUSED')])).status).toBe(503)
  })

  it('404 or 400 for what the records refuse, with its code', () => {
    expect(toApiError(new Refusal('missing', 'x_not_found', 'None.'))).toMatchObject({
      status: 404,
      code: 'x_not_found',
    })
    expect(toApiError(new Refusal('invalid', 'not_open', 'No.'))).toMatchObject({ status: 400, code: 'not_open' })
  })

  it.each([failing('42P01', 'relation "secret" does not exist'), new TypeError('undefined.secret'), 'a string', null])(
    '500 without a word about %s',
    (failure) => {
      expect(toApiError(failure)).toMatchObject({ status: 500, message: 'Internal server error' })
    },
  )
})
