import { onServer } from './on-server.js'
import { strictRows } from './strict-rows.js'

/** One in CI, twenty in `npm run test:full`. */
const SEEDS = Array.from({ length: process.env['SERVERS_FULL'] ? 20 : 1 }, (_, nth) => nth + 1)

const NOT_HELD = {
  guidance: [],
  xgrammar: ['email', 'duration', 'hostname'].map(
    (name) => `The engine's grammar backend enforces a part of the format '${name}'.`,
  ),
} as const

for (const backend of ['guidance', 'xgrammar'] as const) {
  onServer({ kind: 'vllm', model: 'rand', flags: ['--structured-outputs-config.backend', backend] }, ({ engine }) =>
    strictRows(backend, engine, SEEDS, NOT_HELD[backend]),
  )
}
