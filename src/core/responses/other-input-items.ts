/**
 * The input items of tools that gpt-oss was not trained on, and of the API's own context management. Source: the
 * `openai` 7.59 union.
 */

import type { InputAgentPart } from './input-content.js'
import type { InputCaller, InputCallFields, InputItemFields } from './input-status.js'
import type { TextFormat } from './request-parameters.js'
import type { RequestTool, UnknownTool } from './request-tools.js'
import type { ReasoningEffort } from './response.js'

/** Tools that are declared from this place of the conversation on. */
export interface InputAdditionalTools {
  readonly type: 'additional_tools'
  readonly id?: string | null
  readonly role: 'developer'
  readonly tools: readonly (RequestTool | UnknownTool)[]
}

/** A patch that the model wrote for the client to apply. */
export interface InputApplyPatchCall extends InputCallFields {
  readonly type: 'apply_patch_call'
  readonly operation:
    | { readonly type: 'create_file' | 'update_file'; readonly path: string; readonly diff: string }
    | { readonly type: 'delete_file'; readonly path: string }
}

/** Whether a patch could be applied, and what the program that applied it says. */
export interface InputApplyPatchCallOutput {
  readonly type: 'apply_patch_call_output'
  readonly id?: string | null
  readonly call_id: string
  readonly output?: string | null
  readonly status: 'completed' | 'failed'
  readonly caller?: InputCaller | null
}

/** A compacted part of the conversation. Only the server can open it. */
export interface InputCompaction {
  readonly type: 'compaction'
  readonly id?: string | null
  readonly encrypted_content: string
}

/** A request to compact the conversation. */
export interface InputCompactionTrigger {
  readonly type: 'compaction_trigger'
  readonly id?: string | null
}

/** An action of the computer tool, by its `type`. It is not checked further: no gpt-oss model calls that tool. */
export interface InputComputerAction {
  readonly type: string
}

/** A safety check of a computer call. */
export interface InputSafetyCheck {
  readonly id: string
  readonly code?: string | null
  readonly message?: string | null
}

/** A call of the computer tool. No gpt-oss model makes one. */
export interface InputComputerCall extends InputItemFields {
  readonly type: 'computer_call'
  readonly call_id: string
  readonly action?: InputComputerAction | null
  readonly actions?: readonly InputComputerAction[] | null
  readonly pending_safety_checks?: readonly InputSafetyCheck[] | null
}

/** The result of a computer call: a screenshot. */
export interface InputComputerCallOutput extends InputItemFields {
  readonly type: 'computer_call_output'
  readonly call_id: string
  readonly output: {
    readonly type: 'computer_screenshot'
    readonly file_id?: string | null
    readonly image_url?: string | null
  }
  readonly acknowledged_safety_checks?: readonly InputSafetyCheck[] | null
}

/** Settings that apply from this place of the conversation on. */
export interface InputConfigurationUpdate {
  readonly type: 'configuration_update'
  readonly id?: string | null
  readonly reasoning?: { readonly effort?: ReasoningEffort | 'max' | null } | null
  readonly text?: { readonly format: TextFormat } | null
}

/** A search of files that was run, with its results. */
export interface InputFileSearchCall extends InputItemFields {
  readonly type: 'file_search_call'
  readonly queries: readonly string[]
  readonly results?:
    | readonly {
        readonly attributes?: { readonly [key: string]: string | number | boolean } | null
        readonly file_id?: string | null
        readonly filename?: string | null
        readonly score?: number | null
        readonly text?: string | null
      }[]
    | null
}

/** An image that was generated. */
export interface InputImageGenerationCall extends InputItemFields {
  readonly type: 'image_generation_call'
  /** The image in base64. */
  readonly result: string | null
  readonly revised_prompt?: string | null
}

/** A program that calls tools. */
export interface InputProgram {
  readonly type: 'program'
  readonly id?: string | null
  readonly call_id: string
  readonly code: string
  readonly fingerprint: string
}

/** The result of a program that called tools. */
export interface InputProgramOutput {
  readonly type: 'program_output'
  readonly id?: string | null
  readonly call_id: string
  readonly result: string
  readonly status: 'completed' | 'incomplete'
}

/** A search for tools that are declared later. */
export interface InputToolSearchCall extends InputItemFields {
  readonly type: 'tool_search_call'
  readonly call_id?: string | null
  readonly arguments: unknown
  readonly execution?: 'server' | 'client' | null
}

/** Tools that a search found. They are declared from this place of the conversation on. */
export interface InputToolSearchOutput extends InputItemFields {
  readonly type: 'tool_search_output'
  readonly call_id?: string | null
  readonly tools: readonly (RequestTool | UnknownTool)[]
  readonly execution?: 'server' | 'client' | null
}

/** A message of one agent to another, in Codex's mode of several agents. */
export interface InputAgentMessage {
  readonly type: 'agent_message'
  readonly id?: string | null
  readonly author?: string | null
  readonly recipient?: string | null
  readonly content: readonly InputAgentPart[]
}

/** What an agent did with another one: `spawn_agent`, `send_message`, ... */
export interface InputMultiAgentCall {
  readonly type: 'multi_agent_call'
  readonly id?: string | null
  readonly call_id?: string | null
  readonly action: string
  readonly arguments: string
}

/** The result of a call of another agent. */
export interface InputMultiAgentCallOutput {
  readonly type: 'multi_agent_call_output'
  readonly id?: string | null
  readonly call_id?: string | null
  readonly action: string
  readonly output: string | readonly InputAgentPart[]
}

/** An input item of a tool that gpt-oss was not trained on, or of context management. `type` narrows it. */
export type InputOtherItem =
  | InputAdditionalTools
  | InputAgentMessage
  | InputApplyPatchCall
  | InputApplyPatchCallOutput
  | InputCompaction
  | InputCompactionTrigger
  | InputComputerCall
  | InputComputerCallOutput
  | InputConfigurationUpdate
  | InputFileSearchCall
  | InputImageGenerationCall
  | InputMultiAgentCall
  | InputMultiAgentCallOutput
  | InputProgram
  | InputProgramOutput
  | InputToolSearchCall
  | InputToolSearchOutput
