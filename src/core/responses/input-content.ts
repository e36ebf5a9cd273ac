/** The parts of content in a client's `input`. Source: the `openai` 7.59 union. */

import type { Logprob, UrlCitation } from './items.js'

export interface PromptCacheBreakpoint {
  readonly mode: 'explicit'
  readonly ttl?: '30m' | '12h' | null
}

export interface InputText {
  readonly type: 'input_text'
  readonly text: string
  readonly prompt_cache_breakpoint?: PromptCacheBreakpoint | null
}

export interface InputImage {
  readonly type: 'input_image'
  readonly detail?: string | null
  readonly image_url?: string | null
  readonly file_id?: string | null
  readonly prompt_cache_breakpoint?: PromptCacheBreakpoint | null
}

export interface InputFile {
  readonly type: 'input_file'
  readonly file_id?: string | null
  readonly file_url?: string | null
  readonly file_data?: string | null
  readonly filename?: string | null
  readonly detail?: string | null
  readonly prompt_cache_breakpoint?: PromptCacheBreakpoint | null
}

/** A citation of a text, in the API's four forms. */
export type InputAnnotation =
  | Readonly<UrlCitation>
  | {
      readonly type: 'file_citation'
      readonly file_id: string
      readonly filename: string
      readonly index: number
    }
  | {
      readonly type: 'container_file_citation'
      readonly container_id: string
      readonly file_id: string
      readonly filename: string
      readonly start_index: number
      readonly end_index: number
    }
  | { readonly type: 'file_path'; readonly file_id: string; readonly index: number }

/** Text of an assistant's earlier message. */
export interface InputOutputText {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations?: readonly InputAnnotation[] | null
  readonly logprobs?: readonly Logprob[] | null
}

export interface InputRefusal {
  readonly type: 'refusal'
  readonly refusal: string
}

export type InputContent = InputText | InputImage | InputFile | InputOutputText | InputRefusal

/** What agents send each other: content, and text that is encrypted for the client. */
export type InputAgentPart =
  | InputContent
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'encrypted_content'; readonly encrypted_content: string }
