/**
 * What a request tells the model besides the conversation, as fields. The ids of the prompt tell the same to gpt-oss; an
 * engine that takes messages needs the schemas, which the ids have as TypeScript only.
 */
export interface PromptFields {
  /** The tools that the prompt teaches. Default: none. */
  readonly tools?: readonly PromptTool[]
  /** The recipients of which the turn has to call one. Default: the model chooses whether it calls any. */
  readonly demand?: readonly string[]
  /** Whether a turn may have several calls. Default true. */
  readonly isParallel?: boolean
  /** The format that the answer has to have. Default: text. */
  readonly format?: PromptFormat
  /** The reasoning effort, as the client spells it. Default: the model's own. */
  readonly effort?: string
  /**
   * Strings that end the answer. What follows one is cut off in any case; a server that is told of them need not write it.
   */
  readonly stop?: readonly string[]
  /** Whether the oldest exchanges of a conversation that does not fit may be left out. Default false. */
  readonly truncates?: boolean
  /** Who the model is told to be. Default: the prompt's sentence about gpt-oss is left out. */
  readonly identity?: string
  /**
   * What developer messages teach of tools and formats, each as it stands at the end of one: the rest of the message are
   * the client's instructions.
   */
  readonly lessons?: readonly string[]
  /** The images of the conversation, by the text that stands in the prompt for each. */
  readonly images?: Readonly<Record<string, PromptImage>>
}

/** A tool that the prompt teaches. */
export interface PromptTool {
  /** Its address: `functions.get_weather`, `python`. */
  readonly recipient: string
  /** What it does, as the client describes it. */
  readonly description?: string
  /** The JSON Schema of its arguments, of a tool whose body is JSON. Default: it takes none. */
  readonly parameters?: Readonly<Record<string, unknown>>
  /** What the model writes to call it: JSON, or the input itself as text or code. */
  readonly body: 'json' | 'text' | 'code'
  /** Whether the client demands that the arguments are valid by the schema. Absent: the client did not say. */
  readonly strict?: boolean
}

/** A format of the answer: JSON, by a schema if there is one. */
export interface PromptFormat {
  /** Its name, as the client gave it: `json_object` for any object. */
  readonly name: string
  /** What it is for, as the client describes it. */
  readonly description?: string
  /** Its JSON Schema. Default: any object. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Whether the client demands that the answer is valid by the schema. Absent: the client did not say. */
  readonly strict?: boolean
}

/** An image. */
export interface PromptImage {
  /** An address, or a data URL. */
  readonly url: string
  /** How closely the model looks, as the client says: `low`, `high`, `auto`. */
  readonly detail?: string
}
