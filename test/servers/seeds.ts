/** How many seeds the strict bodies of a suite have: one, twenty in `npm run test:full`, or SERVERS_SEEDS. */
const COUNT = Number(process.env['SERVERS_SEEDS'] ?? (process.env['SERVERS_FULL'] ? 20 : 1))

/** The seeds of strict bodies. */
export const SEEDS: readonly number[] = Array.from({ length: COUNT }, (_, nth) => nth + 1)

/**
 * Those of a server on which a body takes long: outlines compiles for seconds, and transformers works on one token at a time.
 * Their bodies under 20 seeds would take hours, and show no more of llguidance than vLLM does.
 */
export const FEW_SEEDS: readonly number[] = SEEDS.slice(0, 4)
