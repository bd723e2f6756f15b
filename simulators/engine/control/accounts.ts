import { Hono } from 'hono'
import type { DisputeEngine } from '../engine.ts'
import * as bodies from './bodies.ts'

/** The control interface under /accounts: the accounts, and their credentials. */
export function controlAccounts(engine: DisputeEngine): Hono {
  const app = new Hono()
  const { access } = engine
  const shown = (account: string) => ({ account, notificationSecret: engine.signingSecretOf(account) })

  app.get('/', (c) => c.json({ accounts: access.all().map(shown) }))

  app.post('/', async (c) => {
    const { account } = bodies.parseBody(bodies.accountBody, await c.req.text())
    access.open(account)
    return c.json(shown(account), 201)
  })

  // Also a credential of another account, or an unknown one.
  app.post('/:account/keys', async (c) => {
    const account = c.req.param('account')
    const { key } = bodies.parseBody(bodies.keyBody, await c.req.text())
    access.open(account)
    access.give(key, account)
    return c.json({ account, key }, 201)
  })

  app.delete('/:account/keys/:key', (c) => {
    const { account, key } = c.req.param()
    const owner = access.ownerOf(key)
    if (owner !== undefined && owner !== account) return c.json({ error: `the key is not one of ${account}` }, 404)
    access.give(key, null)
    return c.json({ account, key })
  })
  return app
}
