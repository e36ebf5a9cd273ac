/** How many seeds the strict bodies of a suite have: one, twenty in `npm run test:full`, or SERVERS_SEEDS. */
const COUNT = Number(process.env['SERVERS_SEEDS'] ?? (process.env['SERVERS_FULL'] ? 20 : 1))

/** The seeds of strict bodies. */
export const SEEDS: readonly number[] = Array.from({ length: COUNT }, (_, nth) => nth + 1)
