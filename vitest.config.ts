import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/harness/longest-first.ts'

const withServers = { globalSetup: ['test/harness/global-setup.ts'], testTimeout: 180_000, hookTimeout: 120_000 }
/** Real processes on two busy cores may stand still for a moment. Never for fault tests: a race shows now and then only. */
const ONCE_MORE = 1

/** Minutes each: what an installation and `npm start` do, a run of each benchmark. With the fault tests `npm run test:full`. */
const INSTALLATION = [
  'test/integration/production-install.test.ts',
  'test/integration/local/start.test.ts',
  'test/integration/bench.test.ts',
]

export default defineConfig({
  test: {
    // Each file of the projects with servers brings its own API and worker processes.
    maxWorkers: 2,
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    projects: [
      // One process for many files: to load the SDKs anew for each took as long as the tests themselves.
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: INSTALLATION,
          retry: ONCE_MORE,
          ...withServers,
        },
      },
      { extends: true, test: { name: 'installation', include: INSTALLATION, retry: ONCE_MORE, ...withServers } },
      { extends: true, test: { name: 'faults', include: ['test/faults/**/*.test.ts'], ...withServers } },
      { extends: true, test: { name: 'simulation', include: ['test/simulation/**/*.test.ts'], ...withServers } },
      { extends: true, test: { name: 'size', include: ['test/statements/**/*.test.ts'], ...withServers } },
      // Needs a container engine; minutes.
      { extends: true, test: { name: 'containers', include: ['test/containers/**/*.test.ts'], testTimeout: 300_000 } },
      { extends: true, test: { name: 'replay', include: ['test/replay/**/*.test.ts'], testTimeout: 60_000 } },
    ],
  },
})
