/** The status of any item. The model does not see it. */
export type InputStatus =
  | 'in_progress'
  | 'searching'
  | 'interpreting'
  | 'calling'
  | 'generating'
  | 'completed'
  | 'incomplete'
  | 'failed'

/** The caller of a tool: the model, or a program that it wrote. */
export type InputCaller = { readonly type: 'direct' } | { readonly type: 'program'; readonly caller_id: string }

/** Fields that clients may omit from most items. */
export interface InputItemFields {
  readonly id?: string | null
  readonly status?: InputStatus | null
}

/** Fields of a call that the client runs, and of its result. */
export interface InputCallFields extends InputItemFields {
  readonly call_id: string
  readonly caller?: InputCaller | null
}
