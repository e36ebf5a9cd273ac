/** The parts of content in a client's `input`. Source: the `openai` 7.59 union. */

import type { Logprob, UrlCitation } from './items.js'

/** Marks the end of a part of the prompt that OpenAI caches. Engines cache by themselves, and ignore it. */
export interface PromptCacheBreakpoint {
  readonly mode: 'explicit'
  readonly ttl?: '30m' | '12h' | null
}

/** Text. */
export interface InputText {
  readonly type: 'input_text'
  readonly text: string
  readonly prompt_cache_breakpoint?: PromptCacheBreakpoint | null
}

/**
 * An image, by its address (which may be a `data:` URL) or the id of a file. gpt-oss reads text alone: see `images` of
 * `renderPrompt`.
 */
export interface InputImage {
  readonly type: 'input_image'
  readonly detail?: string | null
  readonly image_url?: string | null
  readonly file_id?: string | null
  readonly prompt_cache_breakpoint?: PromptCacheBreakpoint | null
}

/** A file, by an id, an address, or its data in base64. gpt-oss reads text alone: see `images` of `renderPrompt`. */
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

/** A refusal in an assistant's earlier message. */
export interface InputRefusal {
  readonly type: 'refusal'
  readonly refusal: string
}

/** A part of the content of a message or of a result. `type` narrows it. */
export type InputContent = InputText | InputImage | InputFile | InputOutputText | InputRefusal

/** What agents send each other: content, and text that is encrypted for the client. */
export type InputAgentPart =
  | InputContent
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'encrypted_content'; readonly encrypted_content: string }
