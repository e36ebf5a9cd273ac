import fc from 'fast-check'

/**
 * Where LAW_SEED is set, every property draws from that seed, so that a run of CI can be repeated draw by draw. A setup
 * file of each project: a test that resets fast-check's globals would take the seed from the files behind it otherwise.
 */
const seed = process.env['LAW_SEED']
if (seed !== undefined && seed !== '') {
  if (!/^-?\d+$/.test(seed)) throw new Error(`LAW_SEED: expected an integer, got ${JSON.stringify(seed)}`)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) | 0 })
}
