import { randomUUID } from 'node:crypto'
import type { CallResult } from '../../../core/responses/call-result.js'
import type { CodeInterpreterTool, CodeOutput } from '../../../core/responses/items.js'
import { check, HarmonyResponsesError } from '../../../shared/errors.js'
import { isFields } from '../../../shared/fields.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aBoolean, having, wholeNumber } from '../../../shared/options/checks.js'
import { runProgram, startProgram } from '../../../shared/system/platform/programs.js'
import { whileWanted } from '../deadline.js'
import { callArguments } from '../mcp/arguments.js'
import type { HostedCall, Tool, ToolContext } from '../tool.js'
import { failureOf } from '../tool-error.js'
import type { OpenBoundary, PythonBoundary, PythonLimits } from './boundary.js'
import { checkBoundary } from './check-boundary.js'
import { DRIVER } from './driver.js'
import { type CellResult, Session } from './session.js'
import { type SessionKey, Sessions } from './sessions.js'

/** Options of `createPythonTool`. */
export interface PythonToolOptions extends Partial<PythonLimits> {
  /** What separates Python from this machine: `bubblewrap()`, `docker({ image })`, `podman({ image })`. */
  readonly boundary: PythonBoundary
  /** The maximum memory of a session in bytes, of each of its processes where only prlimit holds. Default 1 GiB. */
  readonly memoryBytes?: number
  /** The maximum number of processes and threads of a session. Default 64. */
  readonly maxProcesses?: number
  /** The maximum number of files that a process may have open. Default 256. */
  readonly maxOpenFiles?: number
  /** The maximum size of all files in `/mnt/data` together, in bytes. They are in memory. Default 256 MiB. */
  readonly diskBytes?: number
  /** Whether sessions have a network, and with it whatever this machine reaches. Default: false. */
  readonly network?: boolean
  /** The maximum time of a cell in seconds. Default 120, which the model was taught. */
  readonly seconds?: number
  /** The maximum size of what a cell's result has of its output, in bytes. Default 65,536. */
  readonly maxOutputBytes?: number
  /** The maximum size of a cell's images together, in bytes of base64. Default 4 MiB. */
  readonly maxImageBytes?: number
  /** How long a session is kept after its last cell, in seconds. Default 1,200. */
  readonly idleSeconds?: number
  /** The maximum number of sessions. For another one, one that is idle ends. Default 100. */
  readonly maxSessions?: number
}

const OPTIONS: OptionTable<PythonToolOptions> = {
  boundary: having(['open'], 'bubblewrap(), docker({ image }) or podman({ image })'),
  memoryBytes: wholeNumber(67_108_864),
  maxProcesses: wholeNumber(8, 10_000),
  maxOpenFiles: wholeNumber(32, 65_536),
  diskBytes: wholeNumber(4_096),
  network: aBoolean,
  seconds: wholeNumber(1, 86_400),
  maxOutputBytes: wholeNumber(256),
  maxImageBytes: wholeNumber(0, 67_108_864),
  idleSeconds: wholeNumber(1, 86_400),
  maxSessions: wholeNumber(1, 10_000),
}

/** A tool that runs Python, until it is closed. */
export interface PythonTool extends Tool {
  /** What bounds the memory and the processes of a session, for the operator. */
  readonly about: string
  /** Ends all sessions. */
  close(): void
}

/** The label and the tool of an MCP server that is declared in place of `code_interpreter`. */
const SERVER = { label: 'code_interpreter', tool: 'python' } as const

/**
 * Creates the Python that gpt-oss was trained with: a notebook for each container, which keeps its variables and its files in
 * `/mnt/data`. With it, the model is told of the tool if a request declares `code_interpreter`, or an MCP server of that
 * label. Sessions are in this process: one that has ended is told as such, and a new one starts empty.
 *
 * @throws HarmonyResponsesError `bad_option`, also if the boundary does not work here
 *
 * @example
 * ```ts
 * import { bubblewrap, createPythonTool } from 'harmony-responses/tools/python'
 *
 * const start = async () => {
 *   const python = await createPythonTool({ boundary: bubblewrap(), memoryBytes: 536_870_912 })
 *   return { tools: [python], stop: () => python.close() } // `tools` of respond or createResponsesApp
 * }
 * ```
 */
export async function createPythonTool(options: PythonToolOptions): Promise<PythonTool> {
  checkOptions('createPythonTool', options, OPTIONS, ['boundary'])
  const { memoryBytes = 1_073_741_824, maxProcesses = 64, maxOpenFiles = 256, diskBytes = 268_435_456 } = options
  const { network = false, seconds = 120, maxOutputBytes = 65_536, maxImageBytes = 4_194_304 } = options
  const { idleSeconds = 1_200, maxSessions = 100, boundary } = options
  const boundaries = await boundary.open({ memoryBytes, maxProcesses, maxOpenFiles, diskBytes, network })
  const limits = { seconds, maxOutputBytes, maxImageBytes }
  const start = (onEnd: () => void): Session => startSession(boundaries, limits, onEnd)
  const flaw = await checkBoundary(
    start(() => {}),
    maxProcesses,
  )
  if (flaw !== undefined) throw new HarmonyResponsesError('bad_option', `${boundary.name}: ${flaw}`)
  const sessions = new Sessions({ start, max: maxSessions, idleSeconds })
  return {
    about: boundaries.about,
    answers: (call) => call.type === 'code_interpreter_call' || isServerCall(call),
    serverLabels: [SERVER.label],

    ignores(declaration) {
      const { type, container } = declaration as Partial<CodeInterpreterTool>
      if (type !== 'code_interpreter' || !isFields(container)) return []
      return Object.keys(container).flatMap((name) => (REGARDED.includes(name) ? [] : [`container.${name}`]))
    },

    containerExpiry: (id, owner) => sessions.expiryOf({ owner, id }),

    async run(call, context) {
      const key = keyOf(call, context, sessions)
      const isNew = !sessions.has(key) && context.earlierResults().some(({ tool }) => tool === SERVER.tool)
      const { signal } = context
      try {
        const result = await whileWanted(sessions.run(key, codeOf(call), signal), signal)
        return resultOf(isNew ? withNotice(result) : result, call, seconds)
      } catch (error) {
        return failureOf(error)
      }
    },

    close: () => sessions.close(),
  }
}

/** The fields of a declared container that have an effect, or are refused. */
const REGARDED: readonly string[] = ['type', 'file_ids']

type CellLimits = ConstructorParameters<typeof Session>[1]

function startSession(boundary: OpenBoundary, limits: CellLimits, onEnd: () => void): Session {
  const name = `harmony-python-${randomUUID()}`
  const program = startProgram(boundary.command(name, ['-I', '-c', DRIVER, `${limits.maxImageBytes}`]))
  return new Session(program, limits, () => {
    if (boundary.end) void runProgram(boundary.end(name), 30)
    onEnd()
  })
}

function isServerCall(call: HostedCall): boolean {
  return call.type === 'mcp_call' && call.server_label === SERVER.label && call.name === SERVER.tool
}

/**
 * Returns which session a call is for: that of its container; for a server's, that of the response, which continues that of the
 * response before it.
 */
function keyOf(call: HostedCall, context: ToolContext, sessions: Sessions): SessionKey {
  const { owner = '', responseId = '', request } = context
  if (call.type === 'code_interpreter_call') return { owner, id: call.container_id }
  const key = { owner, id: `of ${responseId}` }
  const before = request.previous_response_id
  if (typeof before === 'string' && !sessions.has(key)) sessions.rename({ owner, id: `of ${before}` }, key.id)
  return key
}

function codeOf(call: HostedCall): string {
  if (call.type === 'code_interpreter_call') return call.code
  check(call.type === 'mcp_call', 'call', 'a call of code_interpreter', call.type)
  return (callArguments(call) as { readonly code: string }).code
}

const ENDED = '[The earlier session has ended. This is a new one, without its variables and files.]\n'

function withNotice(result: CellResult): CellResult {
  return { ...result, output: `${ENDED}${result.output}` }
}

function resultOf({ output, images, stopped, died }: CellResult, call: HostedCall, seconds: number): CallResult {
  const why = stopped && REASONS[stopped](seconds)
  if (died !== undefined) {
    const how = why === undefined ? died : `${why}, and could not be interrupted`
    return { output, error: { message: `Python ended in the middle of the cell: ${how}. ${LOST}` } }
  }
  const text = why === undefined ? output : `${output}[The cell was interrupted: ${why}. Its variables are kept.]\n`
  const shown = [text, ...images.map(() => '[image]')].filter((part) => part !== '').join('\n')
  const read = shown === '' ? 'The cell printed nothing.' : shown
  if (call.type === 'mcp_call') return { output: read }
  const logs = text === '' ? [] : [{ type: 'logs' as const, logs: text }]
  const pictures = images.map((image): CodeOutput => ({ type: 'image', url: `data:image/png;base64,${image}` }))
  return { output: read, outputs: [...logs, ...pictures] }
}

const REASONS = {
  time: (seconds: number) => `it took more than ${seconds} seconds`,
  output: () => 'it printed too much',
  caller: () => 'nobody waits for it',
}

const LOST =
  'How much of the cell was done is unknown. The variables and files of the session are lost; the next cell starts a new one.'
