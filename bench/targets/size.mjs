import { bundle, readDistGraph, subpaths, TOKEN_TABLE_LIMIT, tokenTables } from '../../scripts/package-size.mjs'
import { expect } from '../measure.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'size',
  measures: 'each subpath bundled, minified and gzipped, without npm packages; the token table on disk',
  target: 'the table at most 1.4 MB',

  async run() {
    const tables = await tokenTables(await readDistGraph())
    expect(tables.length === 1, `expected one token table, found ${tables.length}`)
    const sizes = await Promise.all(subpaths.map(async ({ subpath, file }) => ({ subpath, ...(await bundle(file)) })))
    return [
      ...sizes.map(({ subpath, min, gz, external }) => ({
        figure: `harmony-responses${subpath.slice(1)}`,
        value: gz / 1000,
        unit: 'kB',
        note: [`${(min / 1000).toFixed(1)} kB minified`, ...external.map((name) => `and ${name}`)].join(', '),
      })),
      { figure: 'the token table', value: tables[0][1] / 1e6, unit: 'MB', atMost: TOKEN_TABLE_LIMIT / 1e6 },
    ]
  },
}
