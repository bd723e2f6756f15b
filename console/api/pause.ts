const LONGEST_MS = 30_000

/** 1 to 30 s before the next try, ms, with jitter: the pages of all people would come back at once. */
export function pauseAfter(failures: number, random = Math.random()): number {
  return Math.min(LONGEST_MS, 1_000 * 2 ** (failures - 1)) * (0.5 + random / 2)
}
