/** The status of any item. It says nothing to the model. */
export type InputStatus =
  | 'in_progress'
  | 'searching'
  | 'interpreting'
  | 'calling'
  | 'generating'
  | 'completed'
  | 'incomplete'
  | 'failed'

/** What called a tool: the model, or a program that it wrote. */
export type InputCaller = { readonly type: 'direct' } | { readonly type: 'program'; readonly caller_id: string }
