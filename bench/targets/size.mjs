import { bundle, subpaths } from '../../scripts/bundle.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'size',
  measures: 'each subpath bundled, minified and gzipped, without npm packages and the token table',
  target: 'as in sizes.json, by `npm run sizes`',

  async run() {
    const sizes = await Promise.all(subpaths.map(async ({ subpath, file }) => ({ subpath, ...(await bundle(file)) })))
    return sizes.map(({ subpath, min, gz, external }) => ({
      figure: `harmony-responses${subpath.slice(1)}`,
      value: gz / 1000,
      unit: 'kB',
      note: [`${(min / 1000).toFixed(1)} kB minified`, ...external.map((name) => `and ${name}`)].join(', '),
    }))
  },
}
