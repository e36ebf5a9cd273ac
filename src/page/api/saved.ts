const PREFIX = 'harmony-responses.'

/** Reads what this tab keeps under a name; undefined if it keeps nothing there, or something that is not JSON. */
export function saved(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? '') as unknown
  } catch {
    return undefined
  }
}

/** Keeps a value for this tab, also over a reload. Returns false if there is no room. `undefined` deletes it. */
export function save(name: string, value: unknown): boolean {
  try {
    if (value === undefined) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
