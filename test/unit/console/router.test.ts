import { expect, test } from 'vitest'
import { returnPath, routeOf as routeIn, withQuery } from '../../../console/app/router.ts'
import { SCREENS } from '../../../console/app/screens.ts'

const routeOf = (pathname: string, search: string) => routeIn(SCREENS, pathname, search)
const ORIGIN = 'https://recoup.example.com'

test('an address is a screen', () => {
  const queue = { screen: { path: '/console/queue' } }
  expect(routeOf('/console', '')).toMatchObject(queue)
  expect(routeOf('/console/', '')).toMatchObject(queue)
  expect(routeOf('/console/queue', '?psp=stripe')).toMatchObject(queue)
  expect(routeOf('/console/sign-in', '')).toMatchObject({ screen: 'sign-in' })
  expect(routeOf('/console/chargebacks/a%20b', '')).toMatchObject({
    screen: { path: '/console/chargebacks/:id' },
    params: { id: 'a b' },
  })
  for (const path of ['/console/chargebacks', '/console/chargebacks/a/b', '/console/queue/x', '/elsewhere'])
    expect(routeOf(path, ''), path).toMatchObject({ screen: 'unknown' })
})

test('screens have different titles and keys', () => {
  for (const values of [SCREENS.map(({ title }) => title), SCREENS.flatMap(({ key }) => key ?? [])])
    expect(new Set(values).size).toBe(values.length)
})

test('an id that is no valid encoding is nothing, not an error', () => {
  expect(routeOf('/console/chargebacks/%E0%A4%A', '')).toMatchObject({ screen: 'unknown' })
})

test('after a sign-in people return to where they were', () => {
  expect(returnPath('/console/chargebacks/x?m=shop', ORIGIN)).toBe('/console/chargebacks/x?m=shop')
  expect(returnPath('/console/queue?psp=adyen', ORIGIN)).toBe('/console/queue?psp=adyen')
})

test.each([
  null,
  '',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'https://evil.example/console/queue',
  'https://recoup.example.com.evil.example/console/queue',
  'https://recoup.example.com@evil.example/console/queue',
  'javascript:alert(1)',
  'data:text/html,x',
  '/console/../docs',
  '/console/%2e%2e/docs',
  '/consolex',
  '/docs',
  '/console/sign-in',
  '\t//evil.example',
])('but never to %j', (given) => {
  expect(returnPath(given, ORIGIN)).toBe('/console/queue')
})

test('a query changes without losing its other values', () => {
  const query = new URLSearchParams('psp=stripe&m=shop')
  expect(withQuery(query, { psp: 'adyen' })).toBe('?psp=adyen&m=shop')
  expect(withQuery(query, { psp: '', m: undefined })).toBe('')
  expect(query.get('psp')).toBe('stripe')
})
