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
