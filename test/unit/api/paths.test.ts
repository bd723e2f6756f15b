import { describe, expect, it } from 'vitest'
import { knownPaths } from '../../../api/http/paths.ts'

const paths = knownPaths([
  { method: 'ALL', path: '/*' },
  { method: 'GET', path: '/v1/chargebacks' },
  { method: 'GET', path: '/v1/chargebacks/:id' },
  { method: 'POST', path: '/v1/chargebacks/:id/accept' },
  { method: 'GET', path: '/v1/openapi.json' },
])

describe('known paths', () => {
  it('return the template and the methods', () => {
    expect(paths.find('/v1/chargebacks/42')).toEqual({ template: '/v1/chargebacks/{id}', methods: ['GET', 'HEAD'] })
    expect(paths.find('/v1/chargebacks/42/accept')?.methods).toEqual(['POST'])
  })

  it.each(['/', '/v1/chargebacks/', '/v1/chargebacks/4/2', '/v1/openapiXjson', '/x/v1/chargebacks'])(
    'do not include %s',
    (path) => {
      expect(paths.find(path)).toBeNull()
    },
  )
})
