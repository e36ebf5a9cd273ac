/**
 * Functions of the host that the model calls in the middle of a response. docs/function-tools.md explains them.
 *
 * @packageDocumentation
 */

import { lookUp } from '../../core/recipients/policy.js'
import type { McpListing } from '../../core/responses/mcp-listing.js'
import type { McpTool } from '../../core/responses/request-tools.js'
import { check } from '../../shared/errors.js'
import { isFields } from '../../shared/fields.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, anObject, anything, that } from '../../shared/options/checks.js'
import { schemaOf } from './functions/schema-of.js'
import { saysRepeatable } from './repeatable.js'
import type { OutputOf, StandardIssue, StandardSchema, StandardSchemaWithJson } from './standard-schema.js'
import type { HostedCall, Tool, ToolContext } from './tool.js'
import { failureOf, type ToolError } from './tool-error.js'

export type {
  OutputOf,
  StandardIssue,
  StandardResult,
  StandardSchema,
  StandardSchemaWithJson,
} from './standard-schema.js'
export type { HostedCall, Tool, ToolContext, ToolProgress } from './tool.js'
export { ToolError } from './tool-error.js'

/** A JSON Schema: a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The context that a function receives beside its arguments. */
export type FunctionContext = Pick<ToolContext, 'signal' | 'report' | 'insert'>

/** @inline */
interface FunctionAbout {
  /** The description that the model reads: its purpose, and when to call it. */
  readonly description?: string
  /**
   * MCP's annotations. With `readOnlyHint` or `idempotentHint`, a call is repeated if its process died. `allowed_tools`
   * and `require_approval` can select by `{ readOnlyHint: true }`.
   */
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly [name: string]: unknown }
}

/** The model's arguments as an object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The arguments that a function receives: its schema's output or, without one, the model's object. */
export type ArgumentsOf<Schema> = Schema extends StandardSchema ? OutputOf<Schema> : JsonObject

/** Required unless the schema can describe its own input. */
export type ParametersOf<Schema> = Schema extends StandardSchemaWithJson
  ? { readonly parameters?: JsonSchema | StandardSchemaWithJson }
  : { readonly parameters: JsonSchema | StandardSchemaWithJson }

/**
 * A function of the host. `parameters` describe its arguments to the model: a JSON Schema, or a schema that converts to
 * one, like Zod's. Nothing is validated against them: that is the task of `input`, without which the function receives
 * any object that the model wrote.
 *
 * The model reads its result: a string unchanged, anything else as JSON. The model also reads a {@link ToolError} that
 * it throws; any other error is for the host alone.
 */
export type HostFunction<Schema = undefined> = FunctionAbout & {
  /** Validates and converts the arguments. */
  readonly input?: Schema & StandardSchema
  /** Runs the function. The model reads what it returns, or resolves to. */
  run(args: ArgumentsOf<Schema>, context: FunctionContext): unknown
} & ParametersOf<Schema>

/** Functions of the host, as the tools of a single MCP server. */
export interface FunctionTools extends Tool {
  /** The request's entry that offers them to the model. Calls need no approval, unless you change that. */
  readonly declaration: McpTool
  /** Lists the functions, as an MCP server would. */
  listings: NonNullable<Tool['listings']>
}

/** The fields of a function that do not depend on its schema. */
interface AnyFunction extends FunctionAbout {
  readonly input?: StandardSchema | undefined
  readonly parameters?: JsonSchema | StandardSchemaWithJson
  run(args: unknown, context: FunctionContext): unknown
}

const FUNCTION_OPTIONS: OptionTable<AnyFunction> = {
  description: that((value) => typeof value === 'string', 'a string'),
  annotations: anObject,
  // Checked when the schema is derived from both.
  input: anything,
  parameters: anything,
  run: aFunction,
}

/** A valid server label, and a valid function name of the API. */
const LABEL = /^[a-zA-Z0-9_.-]{1,128}$/
const NAME = /^[a-zA-Z0-9_-]{1,128}$/

/**
 * Creates a tool of host functions that the model can call in the middle of a response. To clients they are the tools
 * of an MCP server with this label: their calls are `mcp_call` items. They are offered to a request that declares the
 * label, which its client may do, or the host by adding `declaration` to the request's tools.
 *
 * Arguments that are not JSON, or that `input` rejects, are an error that the model reads and can correct. The tool's
 * `run` throws whatever a function throws.
 *
 * @param label - `server_label`: the model calls `LABEL.NAME`
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { functionTools } from 'harmony-responses/tools/functions'
 * import * as z from 'zod'
 *
 * const weather = functionTools('weather', {
 *   get_weather: {
 *     description: 'The weather of a city.',
 *     input: z.object({ city: z.string() }),
 *     run: ({ city }) => `22 degrees in ${city}`,
 *   },
 * }) // for `tools` of respond or createResponsesApp
 * console.log(weather.declaration.server_label) // weather
 * ```
 */
export function functionTools<Schemas extends Readonly<Record<string, unknown>>>(
  label: string,
  functions: { readonly [Name in keyof Schemas]: HostFunction<Schemas[Name]> },
): FunctionTools {
  check(
    typeof label === 'string' && LABEL.test(label),
    'functionTools',
    'a label of letters, digits, _, . and -',
    label,
  )
  check(typeof functions === 'object' && functions !== null, label, 'an object of functions', functions)
  // Copied, because calls look functions up much later.
  const table = { ...functions } as Readonly<Record<string, AnyFunction>>
  const listing: McpListing = { serverLabel: label, tools: Object.entries(table).map(listed) }

  return {
    declaration: { type: 'mcp', server_label: label, require_approval: 'never' },
    serverLabels: [label],

    answers: (call) => call.type === 'mcp_call' && call.server_label === label,

    async run(call, { signal, report, insert }) {
      const { name, arguments: text } = mcpCall(call, label)
      const called = lookUp(table, name)
      // The error of an MCP server for an unknown tool.
      if (called === undefined) return { error: { code: -32602, message: 'tool not available' } }
      const read = await readArguments(text, called.input)
      if ('problem' in read) return { error: { message: read.problem } }
      try {
        return { output: resultText(await called.run(read.args, { signal, report, insert })) }
      } catch (error) {
        return failureOf(error)
      }
    },

    isRepeatable: (call) => saysRepeatable(lookUp(table, mcpCall(call, label).name)?.annotations),

    async listings({ tools }) {
      const declared: readonly unknown[] = Array.isArray(tools) ? tools : []
      return declared.some((tool) => isDeclaration(tool, label)) ? [listing] : []
    },
  }
}

function listed([name, given]: [string, AnyFunction]): NonNullable<McpListing['tools']>[number] {
  check(NAME.test(name), 'functionTools', 'names of letters, digits, _ and -', name)
  check(typeof given === 'object' && given !== null, name, 'a function: { parameters or input, run }', given)
  checkOptions(name, given, FUNCTION_OPTIONS, ['run'], name)
  const { description, annotations, input, parameters } = given
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: schemaOf(name, parameters, input),
    ...(annotations !== undefined && { annotations }),
  }
}

function mcpCall(call: HostedCall, label: string): Extract<HostedCall, { type: 'mcp_call' }> {
  check(call.type === 'mcp_call' && call.server_label === label, label, 'a call of its own', call.type)
  return call
}

function isDeclaration(tool: unknown, label: string): boolean {
  const { type, server_label } = Object(tool) as { readonly type?: unknown; readonly server_label?: unknown }
  return type === 'mcp' && server_label === label
}

/** A function that returns nothing yields an empty result. */
function resultText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}

/** Arguments, or a description of the problems for the model. */
type ReadArguments = { readonly args: unknown } | { readonly problem: string }

/** The maximum number of problems that are listed, enough for the model to see what to correct. */
const MAX_ISSUES = 10

/**
 * Parses the model's arguments. An empty text is an empty object: models call functions without parameters that way.
 *
 * @throws the error of the schema
 */
async function readArguments(text: string, schema: StandardSchema | undefined): Promise<ReadArguments> {
  let args: unknown
  try {
    args = text.trim() === '' ? {} : JSON.parse(text)
  } catch (error) {
    return { problem: `The arguments are not valid JSON: ${(error as Error).message}` }
  }
  if (schema === undefined) {
    const isObject = isFields(args)
    return isObject ? { args } : { problem: 'The arguments are not a JSON object.' }
  }
  const result = await schema['~standard'].validate(args)
  if (result.issues === undefined) return { args: result.value }
  return { problem: `The arguments are invalid:\n${result.issues.slice(0, MAX_ISSUES).map(inWords).join('\n')}` }
}

/** Formats an issue: `days[0].name: expected a string`. */
function inWords({ message, path = [] }: StandardIssue): string {
  const steps = path.map((step) => (typeof step === 'object' ? step.key : step))
  const place = steps.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return place === '' ? message : `${place.replace(/^\./, '')}: ${message}`
}
