import type { Fields } from '../../shared/fields.js'
import { BodyDraft } from '../body/draft.js'
import type { BodyOrigin } from '../body/origins.js'
import type { MessageAnswerOptions } from './answer-options.js'
import type { MessagesRequestOptions } from './request-options.js'

/** A server that the request declares. */
interface GivenServer {
  readonly at: string
  readonly server: Fields
  isUsed: boolean
}

/** A request under construction, filled from a body. */
export class Draft extends BodyDraft {
  answer: MessageAnswerOptions = {}
  /** The servers of the request by name, and whether each has a toolset. */
  readonly mcpServers: Map<string, GivenServer> = new Map()
  /** The tools that are not taught until a result names them. */
  readonly #deferred = new Map<string, { readonly tool: object; readonly origin: BodyOrigin }>()

  readonly options: MessagesRequestOptions

  constructor(options: MessagesRequestOptions) {
    super(partOf, options)
    this.options = options
  }

  /** Adds a tool of the request. */
  addTool(tool: object, origin: BodyOrigin): void {
    this.tools.push(tool)
    this.origins.add('tools', origin)
  }

  /** Withholds a tool until it is named. */
  defer(name: string, tool: object, origin: BodyOrigin): void {
    if (this.#deferred.has(name)) this.addTool(tool, origin)
    else this.#deferred.set(name, { tool, origin })
  }

  /**
   * Adds a deferred tool to those of the request. @returns undefined if there is none of this name, or it was added
   * before
   */
  load(name: string): object | undefined {
    const { tool, origin } = this.#deferred.get(name) ?? {}
    if (tool === undefined || origin === undefined) return undefined
    this.#deferred.delete(name)
    this.addTool(tool, origin)
    return tool
  }
}

/** Returns a path within the content of a message, where the source of images and documents is an object. */
function partOf(path: string): string {
  return path.replace(/^(content\[\d+\])\.(image_url|file_data|file_url|file_id)$/, '$1.source')
}
