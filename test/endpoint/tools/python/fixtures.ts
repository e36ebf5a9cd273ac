import { onTestFinished } from 'vitest'
import type { CallResult } from '../../../../src/core/responses/call-result.js'
import {
  bubblewrap,
  createPythonTool,
  type HostedCall,
  type PythonTool,
  type PythonToolOptions,
  type ToolContext,
} from '../../../../src/endpoint/tools/python/index.js'

export function pythonCall(code: string, container = 'cntr_1'): HostedCall {
  const state = { id: 'ci_1', status: 'interpreting', outputs: null } as const
  return { type: 'code_interpreter_call', ...state, code, container_id: container }
}

export function serverCall(code: string): HostedCall {
  const call = { type: 'mcp_call', id: 'mcp_1', status: 'in_progress', name: 'python', arguments: code } as const
  return { ...call, server_label: 'code_interpreter', approval_request_id: null, error: null, output: null }
}

export function contextOf(given: Partial<ToolContext> = {}): ToolContext {
  return {
    ...{ request: {}, text: '', earlierResults: () => [], before: [], report() {}, insert: () => false },
    signal: new AbortController().signal,
    ...given,
  }
}

/** A tool on a real boundary, until the test or the suite ends. */
export async function realPython(options: Partial<PythonToolOptions> = {}): Promise<PythonTool> {
  const small = { memoryBytes: 268_435_456, maxProcesses: 24, diskBytes: 8_388_608 }
  return await createPythonTool({ boundary: bubblewrap(), ...small, ...options })
}

/** The same, for one test. @returns a function that runs a cell, and returns its result */
export async function notebook(
  options: Partial<PythonToolOptions> = {},
): Promise<(code: string, container?: string, context?: Partial<ToolContext>) => Promise<CallResult>> {
  const python = await realPython(options)
  onTestFinished(() => python.close())
  return (code, container, context) => python.run(pythonCall(code, container), contextOf(context))
}
