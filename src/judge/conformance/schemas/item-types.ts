import type {
  CodeOutput,
  ItemStatus,
  LocalShellCallItem,
  McpApprovalRequestItem,
  McpError,
  Phase,
  ReasoningText,
  ShellEnvironment,
  ShellOutput,
  SummaryText,
} from '../../../core/responses/items.js'
import type { WireInputPart, WireOutputText, WireRefusal } from './parts.js'

// The 28 output items as servers send them: the types of openai 7.59, with the differences noted in `items.ts`.

type Item<Type extends string, Fields> = { type: Type; id: string } & Fields

/** The caller: the model itself, or a program that it wrote. */
export type WireCaller = { type: 'direct' } | { type: 'program'; caller_id: string } | null

/** A declared tool. Its other fields are not checked, because they change with every release. */
export type WireTool = { type: string }

type Called = { call_id: string; caller?: WireCaller }
type Made = { created_by?: string }
/** The output of one command of a shell call. */
export type WireShellOutput = ShellOutput & Made

type Output = { output: string | WireInputPart[] }
type SafetyCheck = { id: string; code?: string | null; message?: string | null }
type At = { x: number; y: number }
type Keys = { keys?: string[] | null }

export type WireComputerAction =
  | ({ type: 'click'; button: 'left' | 'right' | 'wheel' | 'back' | 'forward' } & At & Keys)
  | ({ type: 'double_click' } & At & Keys)
  | ({ type: 'drag'; path: At[] } & Keys)
  | { type: 'keypress'; keys: string[] }
  | ({ type: 'move' } & At & Keys)
  | { type: 'screenshot' }
  | ({ type: 'scroll'; scroll_x: number; scroll_y: number } & At & Keys)
  | { type: 'type'; text: string }
  | { type: 'wait' }

export type WireWebSearchAction =
  | {
      type: 'search'
      query?: string | null
      queries?: string[]
      sources?: ({ type: 'url'; url: string } | { type: 'api'; name: string })[]
    }
  | { type: 'open_page'; url?: string | null }
  | { type: 'find_in_page'; pattern?: string | null; url?: string | null }

export type WirePatch =
  | { type: 'create_file' | 'update_file'; path: string; diff: string }
  | { type: 'delete_file'; path: string }

type ImageCall = {
  status: 'in_progress' | 'completed' | 'generating' | 'failed'
  result?: string | null
  action?: 'generate' | 'edit' | 'auto' | null
  background?: 'transparent' | 'opaque' | 'auto' | null
  error?: {
    type: string
    code: string | null
    message: string
    param: string | null
    moderation_details?: { categories: string[]; moderation_stage: 'input' | 'output' | 'unknown' }
  }
  output_format?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg' | null
  quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto' | null
  revised_prompt?: string | null
  size?: string | null
  svg_usage?: {
    model: string
    input_tokens: number
    output_tokens: number
    reasoning_tokens: number
    total_tokens: number
  }
}

export type WireOutputItem =
  | Item<
      'message',
      { status: ItemStatus; role: 'assistant'; content: (WireOutputText | WireRefusal)[]; phase?: Phase | null }
    >
  | Item<
      'reasoning',
      { summary: SummaryText[]; content?: ReasoningText[]; encrypted_content?: string | null; status?: ItemStatus }
    >
  | Item<
      'function_call',
      Called & { status: ItemStatus; name: string; arguments: string; namespace?: string; async?: boolean }
    >
  | Item<
      'function_call_output',
      Output & Made & { status: ItemStatus; call_id?: string; caller?: WireCaller; name?: string; namespace?: string }
    >
  | Item<'custom_tool_call', Called & { name: string; input: string; namespace?: string; async?: boolean }>
  | Item<'custom_tool_call_output', Called & Output & Made & { status: ItemStatus }>
  | Item<
      'file_search_call',
      {
        status: ItemStatus | 'searching' | 'failed'
        queries: string[]
        results?:
          | {
              attributes?: { [key: string]: string | number | boolean } | null
              file_id?: string
              filename?: string
              score?: number
              text?: string
            }[]
          | null
      }
    >
  | Item<'web_search_call', { status: ItemStatus | 'searching' | 'failed'; action?: WireWebSearchAction }>
  | Item<
      'computer_call',
      {
        status: ItemStatus
        call_id: string
        pending_safety_checks: SafetyCheck[]
        action?: WireComputerAction
        actions?: WireComputerAction[]
      }
    >
  | Item<
      'computer_call_output',
      Made & {
        status: ItemStatus | 'failed'
        call_id: string
        output: { type: 'computer_screenshot'; file_id?: string; image_url?: string }
        acknowledged_safety_checks?: SafetyCheck[]
      }
    >
  | Item<'program', { call_id: string; code: string; fingerprint: string }>
  | Item<'program_output', { call_id: string; result: string; status: 'completed' | 'incomplete' }>
  | Item<
      'tool_search_call',
      Made & { status: ItemStatus; arguments: unknown; call_id: string | null; execution: 'server' | 'client' }
    >
  | Item<
      'tool_search_output',
      Made & { status: ItemStatus; tools: WireTool[]; call_id: string | null; execution: 'server' | 'client' }
    >
  | Item<
      'additional_tools',
      {
        role: 'unknown' | 'user' | 'assistant' | 'system' | 'critic' | 'discriminator' | 'developer' | 'tool'
        tools: WireTool[]
      }
    >
  | Item<'compaction', Made & { encrypted_content: string }>
  | Item<'image_generation_call', ImageCall>
  | Item<
      'code_interpreter_call',
      {
        status: ItemStatus | 'interpreting' | 'failed'
        code: string | null
        container_id: string
        outputs: CodeOutput[] | null
      }
    >
  | Item<
      'local_shell_call',
      {
        status: ItemStatus
        call_id: string
        action: Pick<LocalShellCallItem['action'], 'type' | 'command' | 'env'> &
          Partial<Omit<LocalShellCallItem['action'], 'type' | 'command' | 'env'>>
      }
    >
  | Item<'local_shell_call_output', { output: string; status?: ItemStatus | null }>
  | Item<
      'shell_call',
      Called &
        Made & {
          status: ItemStatus
          action: { commands: string[]; max_output_length: number | null; timeout_ms: number | null }
          environment?: ShellEnvironment | null
        }
    >
  | Item<
      'shell_call_output',
      Called & Made & { status: ItemStatus; output: WireShellOutput[]; max_output_length: number | null }
    >
  | Item<'apply_patch_call', Called & Made & { status: 'in_progress' | 'completed'; operation: WirePatch }>
  | Item<'apply_patch_call_output', Called & Made & { status: 'completed' | 'failed'; output?: string | null }>
  | Item<
      'mcp_call',
      {
        status?: ItemStatus | 'calling' | 'failed'
        server_label: string
        name: string
        arguments: string
        approval_request_id?: string | null
        error?: McpError | null
        output?: string | null
      }
    >
  | Item<
      'mcp_list_tools',
      {
        server_label: string
        tools: { name: string; input_schema: unknown; description?: string | null; annotations?: unknown }[]
        error?: string | McpError | null
      }
    >
  | McpApprovalRequestItem
  | Item<'mcp_approval_response', { approval_request_id: string; approve: boolean; reason?: string | null }>
