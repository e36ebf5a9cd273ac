import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import { didYouMean } from '../../shared/did-you-mean.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../io.js'
import { aboutOf, hasMeanings, plainMarkdown, wordsOf } from '../options/help.js'
import type { Option } from '../options/option.js'
import { LIMIT_NAMES } from './limits.js'
import { OPTIONS, type ServeValues } from './options.js'

const text = z.string().min(1)

/** The values in a configuration that have another form than typed. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  replay: z.union([z.boolean(), text]),
  limit: z.partialRecord(z.enum(LIMIT_NAMES as [string, ...string[]]), z.number().min(0)),
}

function shapeOf(option: Option): z.ZodType {
  switch (option.takes) {
    case 'nothing':
      return z.boolean()
    case 'text':
      return text
    case 'list':
      if (option.isPairs) return z.record(text, text)
      return z.array(option.words === undefined ? text : z.enum(option.words as [string, ...string[]]))
    case 'count':
      return z
        .int()
        .min(option.min ?? 1)
        .max(option.max ?? Number.MAX_SAFE_INTEGER)
    case 'word': {
      const word = z.enum(Object.keys(option.words) as [string, ...string[]])
      return option.or === undefined ? word : z.union([word, shapeOf(option.or)])
    }
  }
}

/** Returns what an option does, in a sentence or more. */
function describe(option: Option): string {
  const words = hasMeanings(option) ? wordsOf(option).map(([word, meaning]) => `${word}: ${meaning}`) : []
  const about = `${plainMarkdown(aboutOf(option))}${words.length === 0 ? '' : `. ${words.join('; ')}`}`
  // Not of vLLM, whose name begins with a small letter.
  return `${about.replace(/^[a-z](?![A-Z])/, (letter) => letter.toUpperCase())}.`
}

const { config: _, ...CONFIGURABLE } = OPTIONS

const configShape = z
  .strictObject({
    $schema: z.string().describe('Where this JSON Schema is.'),
    ...Object.fromEntries(
      Object.entries<Option>(CONFIGURABLE).map(([name, option]) => [
        name,
        (SHAPES[name] ?? shapeOf(option)).describe(describe(option)),
      ]),
    ),
  })
  .partial()
  .meta({ title: 'harmony-responses serve --config', description: 'Options of serve, by their names.' })

/** Returns the JSON Schema of a configuration, for editors. The package contains it as `serve-config.schema.json`. */
export function configSchema(): object {
  return z.toJSONSchema(configShape, { target: 'draft-2020-12' })
}

/**
 * The values of a configuration, as if typed. Its `replay` may name a folder, which is an operand on the command line.
 */
export interface ConfigValues {
  readonly values: ServeValues
  readonly operands: readonly string[]
}

interface Configuration {
  readonly $schema?: string
  readonly replay?: boolean | string
  readonly mcp?: Readonly<Record<string, string>>
  readonly limit?: Readonly<Record<string, number>>
}

/** @throws UsageError */
export async function readConfig(file: string, io: Io): Promise<ConfigValues> {
  const where = `--config ${nameOf(file)}`
  let value: unknown
  try {
    value = JSON.parse(await readFileOrStdin(file, io))
  } catch (error) {
    if (error instanceof UsageError) throw error
    // Some of Node's messages quote the file, which may contain a key.
    const reason = messageOf(error).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
    throw new UsageError(`${where}: expected JSON: ${reason}`, { cause: error })
  }
  const { data, error } = configShape.safeParse(value)
  if (data === undefined) throw new UsageError(`${where}: ${wording(error.issues[0] as z.core.$ZodIssue)}`)
  const { $schema: _, replay, mcp = {}, limit = {}, ...others } = data as Configuration
  const given = Object.entries(others).map(([name, option]) => [name, typedOf(option)])
  return {
    operands: typeof replay === 'string' ? [replay] : [],
    values: {
      ...(Object.fromEntries(given) as ServeValues),
      ...(replay !== undefined && { replay: replay !== false }),
      mcp: Object.entries(mcp).map(([label, target]) => `${label}=${target}`),
      limit: Object.entries(limit).map(([name, number]) => `${name}=${number}`),
    },
  }
}

/** Converts a value: on the command line, all options but flags are texts. */
function typedOf<Option>(option: Option): string | Option {
  return typeof option === 'number' ? String(option) : option
}

function wording({ code, path, message, ...issue }: z.core.$ZodIssue): string {
  const place = path.length === 0 ? '' : `${toDotPath(path)}: `
  if (code !== 'unrecognized_keys') return `${place}${message}`
  // Cast: an issue of this code has keys, but the code does not narrow the rest of a destructured union.
  const [key = ''] = (issue as { keys: readonly string[] }).keys
  const [what, names] =
    path[0] === 'limit' ? ['a limit', LIMIT_NAMES] : ['an option of serve', Object.keys(CONFIGURABLE)]
  return `${place}expected ${what}, got ${JSON.stringify(key)}${didYouMean(key, names)}`
}
