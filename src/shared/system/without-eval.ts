interface Global {
  readonly document?: unknown
  readonly WorkerGlobalScope?: unknown
  __zod_globalConfig?: { jitless?: boolean }
}

/**
 * Keeps zod from compiling schemas in a page and its workers: a policy without `unsafe-eval` reports the attempt as a
 * violation, although zod goes on without. Called before a module makes its first schema of an object. A choice that the
 * page has made stays.
 */
export function withoutEval(global: Global = globalThis as Global): void {
  if (global.document === undefined && global.WorkerGlobalScope === undefined) return
  // zod reads and keeps this very object, whether it is loaded before or after.
  global.__zod_globalConfig ??= {}
  global.__zod_globalConfig.jitless ??= true
}
