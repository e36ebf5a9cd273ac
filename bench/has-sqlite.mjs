/**
 * Whether SQLite can be used here. If not, prints what is left out.
 *
 * @param {string} without
 */
export async function hasSqlite(without) {
  for (const name of ['node:sqlite', 'better-sqlite3']) {
    const found = await import(name).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  console.error(`${without}: it needs Node 22.13 or the package better-sqlite3`)
  return false
}
