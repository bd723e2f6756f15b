import type { Benchmark } from './runner/context.ts'

/** In the order of `npm run bench -- all`. */
export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'roundtrips',
    about: 'database round trips for each dispute, counted at the driver, and requests counted at the simulated PSP',
    load: () => import('./roundtrips.ts'),
  },
  {
    name: 'actions',
    about:
      'Temporal actions of a poll, an acceptance and a submission by recorded runs; those of a poll by shards by the server',
    load: () => import('./actions.ts'),
  },
  {
    name: 'growth',
    about: 'bytes that the database grows by for each dispute, and the WAL that a poll without news writes',
    load: () => import('./growth.ts'),
  },
  {
    name: 'ingest',
    about:
      'first load of an account into an empty database, next to the peers; with --source another PSP, without peers',
    load: () => import('./ingest.ts'),
  },
  {
    name: 'resync',
    about: 'a second poll with nothing new, next to the peers; then with one new dispute, and with 1 % changed',
    load: () => import('./resync.ts'),
  },
  {
    name: 'rtt100',
    about: 'a first load from a PSP that is 100 ms away: which share of its request limit is used',
    load: () => import('./rtt100.ts'),
  },
  {
    name: 'list',
    about:
      'authenticated lists of a million chargebacks in rotation of merchants, next to a bare server and to pgbench',
    load: () => import('./list.ts'),
  },
  {
    name: 'paging',
    about: 'a page at depth 99,000 by offset next to the same by cursor; a deep page next to the first',
    load: () => import('./paging.ts'),
  },
  {
    name: 'analytics',
    about: 'summaries, filtered and sorted lists, and an export of the million chargebacks of one merchant',
    load: () => import('./analytics.ts'),
  },
  {
    name: 'webhooks',
    about:
      'events to a hundred receivers: processor time of a delivery, time to arrive when idle and beside misbehaving ones',
    load: () => import('./webhooks.ts'),
  },
  {
    name: 'token',
    about: 'the check of a token that was seen before, next to its first check, which reads the database',
    load: () => import('./token.ts'),
  },
  {
    name: 'copy-limit',
    about: 'a first load next to a bare COPY of the same disputes into a table with four indexes',
    load: () => import('./copy-limit.ts'),
  },
  {
    name: 'linear',
    about:
      'rate and memory of a load of ten times the data; its last fifth next to its first, on never-analysed tables',
    load: () => import('./linear.ts'),
  },
  {
    name: 'poison',
    about: 'a first load with 1 % malformed disputes of every kind, next to a clean one',
    load: () => import('./poison.ts'),
  },
  {
    name: 'tenancy',
    about: 'what row-level security costs lists, single reads and a first load, with and without it in turns',
    load: () => import('./tenancy.ts'),
  },
  {
    name: 'sweep',
    about: 'CPU that shards need to poll 10,000 integrations without news; ten times the integrations next to it',
    load: () => import('./sweep.ts'),
  },
  {
    name: 'overtake',
    about:
      'acceptances, polls and lists of fifty small merchants during a backfill of 100,000 disputes, next to an idle service',
    load: () => import('./overtake.ts'),
  },
  {
    name: 'durable',
    about: 'acceptances as workflows, next to the same steps as plain functions over an outbox in Postgres',
    load: () => import('./durable.ts'),
  },
  {
    name: 'cluster',
    about:
      'acceptances by three workers and two APIs with a Temporal server on Postgres, next to the same with a dev server',
    load: () => import('./cluster.ts'),
  },
  {
    name: 'evidence',
    about: 'packages of evidence in a rendering process: time, bytes, memory, rebuilds in a minute',
    load: () => import('./evidence.ts'),
  },
  {
    name: 'console',
    about: 'the queue of the console in a real browser: bytes, requests, processor time, and time to the first rows',
    load: () => import('./browser/console.ts'),
  },
  {
    name: 'start',
    about:
      'npm start with an empty data folder, tools cached, until the API lists a chargeback, and again; memory of API and worker',
    load: () => import('./start.ts'),
  },
]
