import { FUNCTIONS, nameIn } from '../../../core/harmony/namespaces.js'
import type { PromptTool } from '../../contract/prompt-fields.js'

/** The servers' limit of a function's name. */
const MAX_LENGTH = 64

/** A callee, as the model addresses it in Harmony. */
export interface Callee {
  readonly recipient: string
  readonly body: PromptTool['body']
}

/** The names of tools in Chat Completions, where one has neither dots nor more than 64 characters: both ways. */
export class ToolNames {
  readonly #names = new Map<string, string>()
  readonly #callees = new Map<string, Callee>()

  /** @param tools - the declared tools, in the order in which clashing names are numbered */
  constructor(tools: readonly PromptTool[]) {
    for (const { recipient, body } of tools) {
      const name = this.#freeName(plainName(recipient))
      this.#names.set(recipient, name)
      this.#callees.set(name, { recipient, body })
    }
  }

  /** Returns the name of a tool, also of one that is no longer declared. */
  nameOf(recipient: string): string {
    return this.#names.get(recipient) ?? plainName(recipient)
  }

  /** Returns the callee of a name: a function that nobody has declared, if no tool has it. */
  calleeOf(name: string): Callee {
    return this.#callees.get(name) ?? { recipient: `${FUNCTIONS}.${headerWord(name)}`, body: 'json' }
  }

  bodyOf(recipient: string): PromptTool['body'] {
    return this.#callees.get(this.#names.get(recipient) ?? '')?.body ?? 'json'
  }

  #freeName(name: string): string {
    let free = name
    for (let nth = 2; this.#callees.has(free); nth++) {
      const suffix = `_${nth}`
      free = name.slice(0, MAX_LENGTH - suffix.length) + suffix
    }
    return free
  }
}

/** Returns the name without its namespace, if that is the usual one, and without what no name may have. */
function plainName(recipient: string): string {
  const name = nameIn(FUNCTIONS, recipient) ?? recipient
  return name
    .replaceAll('.', '__')
    .replace(/[^\w-]/g, '_')
    .slice(0, MAX_LENGTH)
}

/** The model may write anything as a name, and a header has no white space. */
function headerWord(name: string): string {
  return name.replace(/[^\w.:/@-]/g, '_').slice(0, MAX_LENGTH)
}
