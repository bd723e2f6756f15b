import type { ScreenRow } from './router.ts'

/**
 * The screens: a line each, in the order of the navigation. The code of a screen is loaded when it is first shown. The API
 * reads path and folder of each from this text, to send the code along with the page.
 */
export const SCREENS: readonly ScreenRow[] = [
  { path: '/console/queue', title: 'Queue', key: 'q', load: () => import('../queue/screen.tsx') },
  { path: '/console/overview', title: 'Overview', key: 'o', load: () => import('../overview/screen.tsx') },
  { path: '/console/alerts', title: 'Alerts', key: 'l', load: () => import('../alerts/screen.tsx') },
  { path: '/console/integrations', title: 'Integrations', key: 'i', load: () => import('../integrations/screen.tsx') },
  { path: '/console/integrations/:id', title: 'Integration', load: () => import('../integrations/screen.tsx') },
  { path: '/console/webhooks', title: 'Webhooks', key: 'w', load: () => import('../webhooks/screen.tsx') },
  { path: '/console/webhooks/:id', title: 'Webhook endpoint', load: () => import('../webhooks/screen.tsx') },
  { path: '/console/rules', title: 'Rules', key: 'r', load: () => import('../rules/screen.tsx') },
  { path: '/console/audit', title: 'Audit', key: 'a', load: () => import('../audit/screen.tsx') },
  { path: '/console/chargebacks/:id', title: 'Chargeback', load: () => import('../chargeback/screen.tsx') },
]
