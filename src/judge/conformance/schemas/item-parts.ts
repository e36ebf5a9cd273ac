import type { z } from 'zod'
import type { McpError, ShellEnvironment } from '../../../core/responses/items.js'
import type { WireComputerAction, WirePatch, WireShellOutput, WireWebSearchAction } from './item-types.js'
import {
  anything,
  byType,
  exactly,
  integer,
  list,
  number,
  oneOf,
  orNull,
  strict,
  text,
  textOrNull,
  typed,
} from './schema-builders.js'

const at = { x: number, y: number }
const keys = { keys: orNull('an array', list(text)).exactOptional() }
export const computerAction: z.ZodType<WireComputerAction, WireComputerAction> = exactly<WireComputerAction>()(
  byType('the type of a computer action', [
    typed('click', { button: oneOf('left', 'right', 'wheel', 'back', 'forward'), ...at, ...keys }),
    // keys: required by the type, but computer-use-preview does not send it.
    typed('double_click', { ...at, ...keys }),
    typed('drag', { path: list(strict('point', at)), ...keys }),
    typed('keypress', { keys: list(text) }),
    typed('move', { ...at, ...keys }),
    typed('screenshot', {}),
    typed('scroll', { scroll_x: number, scroll_y: number, ...at, ...keys }),
    typed('type', { text }),
    typed('wait', {}),
  ]),
)

// api: live feeds have a name instead of a URL (OpenAI's documentation, the AI SDK's schema); the types have only url.
const source = byType('url or api', [typed('url', { url: text }), typed('api', { name: text })])
export const webSearchAction: z.ZodType<WireWebSearchAction, WireWebSearchAction> = exactly<WireWebSearchAction>()(
  byType('search, open_page or find_in_page', [
    typed('search', {
      query: textOrNull.exactOptional(),
      queries: list(text).exactOptional(),
      sources: list(source).exactOptional(),
    }),
    typed('open_page', { url: textOrNull.exactOptional() }),
    // The AI SDK accepts both as null or missing.
    typed('find_in_page', { pattern: textOrNull.exactOptional(), url: textOrNull.exactOptional() }),
  ]),
)

export const environment: z.ZodType<ShellEnvironment, ShellEnvironment> = exactly<ShellEnvironment>()(
  byType('local or container_reference', [typed('local', {}), typed('container_reference', { container_id: text })]),
)
const outcome = byType('exit or timeout', [typed('exit', { exit_code: integer }), typed('timeout', {})])
/** The output of one command. */
export const shellOutput: z.ZodType<WireShellOutput, WireShellOutput> = exactly<WireShellOutput>()(
  strict('shell output', { stdout: text, stderr: text, outcome, created_by: text.exactOptional() }),
)

export const operation: z.ZodType<WirePatch, WirePatch> = exactly<WirePatch>()(
  byType('create_file, update_file or delete_file', [
    typed('create_file', { path: text, diff: text }),
    typed('update_file', { path: text, diff: text }),
    typed('delete_file', { path: text }),
  ]),
)

export const mcpError: z.ZodType<McpError, McpError> = exactly<McpError>()(
  byType('mcp_protocol_error, mcp_tool_execution_error or http_error', [
    typed('mcp_protocol_error', { code: number, message: text }),
    typed('mcp_tool_execution_error', { content: anything }),
    typed('http_error', { code: number, message: text }),
  ]),
)
