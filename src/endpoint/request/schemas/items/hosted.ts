import type { z } from 'zod'
import type {
  InputCodeInterpreterCall,
  InputLocalShellCall,
  InputLocalShellCallOutput,
  InputShellCall,
  InputShellCallOutput,
  InputWebSearchAction,
  InputWebSearchCall,
} from '../../../../core/responses/input-items.js'
import { byType, integer, key, list, loose, object, optional, orNull, record, text, texts, typed } from '../builders.js'
import { caller, id, status } from './common.js'

type CodeInterpreterOutput = NonNullable<InputCodeInterpreterCall['outputs']>[number]

export const codeInterpreterCall: z.ZodType<InputCodeInterpreterCall> = typed('code_interpreter_call', {
  id,
  code: orNull(text),
  container_id: text,
  outputs: orNull(
    list(
      'objects',
      byType<CodeInterpreterOutput>({ logs: typed('logs', { logs: text }), image: typed('image', { url: text }) }),
    ),
  ),
  status,
})

export const webSearchCall: z.ZodType<InputWebSearchCall> = typed('web_search_call', {
  id,
  action: optional(
    byType<InputWebSearchAction>({
      search: typed('search', {
        query: optional(text),
        queries: optional(texts),
        sources: optional(list('objects', typed('url', { url: text }))),
      }),
      open_page: typed('open_page', { url: optional(text) }),
      find_in_page: typed('find_in_page', { url: text, pattern: text }),
      other: typed('other', {}),
    }),
  ),
  status,
})

export const shellCall: z.ZodType<InputShellCall> = typed('shell_call', {
  id,
  call_id: key,
  action: object({ commands: texts, max_output_length: optional(integer), timeout_ms: optional(integer) }),
  environment: optional(loose({ type: text, container_id: optional(text) })),
  caller,
  status,
})

type Outcome = InputShellCallOutput['output'][number]['outcome']

export const shellCallOutput: z.ZodType<InputShellCallOutput> = typed('shell_call_output', {
  id,
  call_id: key,
  output: list(
    'objects',
    object({
      stdout: text,
      stderr: text,
      outcome: byType<Outcome>({ timeout: typed('timeout', {}), exit: typed('exit', { exit_code: integer }) }),
    }),
  ),
  max_output_length: optional(integer),
  caller,
  status,
})

export const localShellCall: z.ZodType<InputLocalShellCall> = typed('local_shell_call', {
  id,
  call_id: key,
  action: typed('exec', {
    command: texts,
    env: optional(record(text)),
    timeout_ms: optional(integer),
    user: optional(text),
    working_directory: optional(text),
  }),
  status,
})

export const localShellCallOutput: z.ZodType<InputLocalShellCallOutput> = typed('local_shell_call_output', {
  id,
  call_id: id,
  output: text,
  status,
})
