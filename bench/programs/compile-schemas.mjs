// Compiles each schema of a sample once, from cold: prints the milliseconds of their slices, null for one that is refused.
import { compile, loadGrammar, sampleOf } from '../schema-sample.mjs'

const grammar = await loadGrammar()
const slices = sampleOf(Number(process.argv[2])).map(({ schema }) => compile(grammar, schema)?.slices ?? null)
process.stdout.write(JSON.stringify(slices))
