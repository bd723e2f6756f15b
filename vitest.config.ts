import { defineConfig } from 'vitest/config'

/**
 * Real processes on two busy cores: what fails is tried twice more and named as retried, so that a machine that stood
 * still for a moment is told from a fault, which fails every time.
 */
const withServers = {
  globalSetup: ['test/harness/global-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 2,
}

export default defineConfig({
  test: {
    // Each file of the projects with servers brings its own API and worker processes.
    maxWorkers: 2,
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000 } },
      { extends: true, test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...withServers } },
      { extends: true, test: { name: 'faults', include: ['test/faults/**/*.test.ts'], ...withServers } },
      { extends: true, test: { name: 'replay', include: ['test/replay/**/*.test.ts'], testTimeout: 60_000 } },
    ],
  },
})
