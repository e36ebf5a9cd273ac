/** A tool as the prompt teaches it to the model: a function type in a namespace. */
export interface TaughtTool {
  /** The tool's name in the namespace. */
  readonly name: string
  /** What the model reads about it. Default: nothing. */
  readonly description?: string | null | undefined
  /** The JSON Schema of its arguments. Null or absent: it takes none. `text`: its input is free text. */
  readonly parameters?: unknown
  /** Whether a server has listed it: many requests have the same schema. Default false. */
  readonly isListed?: boolean
}

/** A namespace of the prompt, whose tools the model addresses as `NAME.TOOL`. */
export interface ToolNamespace {
  /** The name of the namespace. */
  readonly name: string
  /** What the model reads about it. Default: nothing. */
  readonly description?: string | null | undefined
  /** Its tools, in the order in which they are taught. */
  readonly tools: readonly TaughtTool[]
}

/** A required format of the final answer: `text.format` of the request. */
export interface ResponseFormat {
  /** The name of the format. */
  readonly name: string
  /** What the model reads about it. Default: nothing. */
  readonly description?: string | null | undefined
  /** Its JSON Schema. */
  readonly schema: unknown
}
