/* Proofs for the compiler alone: `npm run typecheck` reads this file, nothing runs it. */

import { z } from 'zod'
import {
  functionTools,
  type HostFunction,
  type StandardSchema,
  type Tool,
} from '../../../src/endpoint/tools/functions.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const proof = <Claim extends true>(): Claim | undefined => undefined

/** A schema of a library that has no JSON Schema. */
declare const plain: StandardSchema<{ n: string }, { n: number }>

const tools = functionTools('weather', {
  // The arguments have the output type of the schema, not its input type.
  get_weather: {
    input: z.object({ city: z.string(), days: z.string().transform(Number) }),
    run: ({ city, days }, { signal, report }) => {
      proof<Same<typeof city, string>>()
      proof<Same<typeof days, number>>()
      proof<Same<typeof signal, AbortSignal>>()
      report({ progress: 1 })
      return { city, days }
    },
  },
  // Of the same object, each function by its own schema.
  count: {
    input: plain,
    parameters: { type: 'object' },
    run: async (args) => {
      proof<Same<typeof args, { n: number }>>()
      return args.n
    },
  },
  // Without a schema: an object of anything.
  any: {
    parameters: { type: 'object' },
    run: (args) => {
      proof<Same<typeof args, Readonly<Record<string, unknown>>>>()
    },
  },
})
export const tool: Tool = tools

export const one: HostFunction<typeof plain> = { input: plain, parameters: {}, run: ({ n }) => n.toFixed() }

// @ts-expect-error the schema cannot describe what it accepts, so parameters have to
functionTools('weather', { count: { input: plain, run: ({ n }) => n } })
// @ts-expect-error nothing says what the arguments are
functionTools('weather', { any: { run: () => 1 } })
// @ts-expect-error a function has to run
functionTools('weather', { any: { parameters: {} } })
functionTools('weather', {
  // @ts-expect-error the schema gives no such field
  get_weather: { input: z.object({ city: z.string() }), run: ({ town }) => town },
})
