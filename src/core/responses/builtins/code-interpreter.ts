import type { AllowedCallers, ItemFields, OfItemOnly, OfItemText } from '../wire-fields.js'

/** A code interpreter, which the host runs: the model writes its code to `python`. */
export interface CodeInterpreterTool {
  readonly type: 'code_interpreter'
  /** A container's id, or the configuration of a new one. */
  readonly container?: string | { readonly type: string } | null
  readonly allowed_callers?: AllowedCallers | null
}

/** One output of a run: what the code printed, or the address of an image that it made. */
export type CodeOutput = { type: 'logs'; logs: string } | { type: 'image'; url: string }

/**
 * A run of code by the host, as an output item. `outputs` is null unless the request includes
 * `code_interpreter_call.outputs`.
 */
export interface CodeInterpreterCallItem extends ItemFields<'interpreting' | 'failed'> {
  type: 'code_interpreter_call'
  code: string
  container_id: string
  outputs: CodeOutput[] | null
}

/** The model begins to write code. Follows `response.output_item.added`. */
export interface CodeInterpreterCallInProgressEvent extends OfItemOnly<'code_interpreter_call.in_progress'> {}
/** The code is complete, and the host runs it. */
export interface CodeInterpreterCallInterpretingEvent extends OfItemOnly<'code_interpreter_call.interpreting'> {}
/** The run has ended; its outputs are in `response.output_item.done`. */
export interface CodeInterpreterCallCompletedEvent extends OfItemOnly<'code_interpreter_call.completed'> {}
/** The next piece of the code, in `delta`. */
export interface CodeInterpreterCallCodeDeltaEvent extends OfItemText<'code_interpreter_call_code.delta', 'delta'> {}
/** The complete code, in `code`. */
export interface CodeInterpreterCallCodeDoneEvent extends OfItemText<'code_interpreter_call_code.done', 'code'> {}

/** The wire form of `code_interpreter`. */
export interface CodeInterpreterWire {
  tool: CodeInterpreterTool
  item: CodeInterpreterCallItem
  event:
    | CodeInterpreterCallInProgressEvent
    | CodeInterpreterCallCodeDeltaEvent
    | CodeInterpreterCallCodeDoneEvent
    | CodeInterpreterCallInterpretingEvent
    | CodeInterpreterCallCompletedEvent
  result: {
    /** For a code interpreter: the code's output, and its images. */
    readonly outputs?: readonly CodeOutput[]
  }
}

declare module './wires.js' {
  interface BuiltinWires {
    code_interpreter: CodeInterpreterWire
  }
}
