/** What an example imports of this package, but for types, by subpath; also by the modules beside it, but for its model. */
export function importsOf(path: string): ReadonlyMap<string, ReadonlySet<string>>
