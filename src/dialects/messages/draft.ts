import type { Fields } from '../../fields.js'
import { BodyDraft } from '../body/draft.js'
import type { BodyOrigin } from '../body/origins.js'
import type { MessageAnswerOptions } from './answer-options.js'
import type { MessagesRequestOptions } from './request-options.js'

/** A server as the request declares it. */
interface GivenServer {
  readonly at: string
  readonly server: Fields
  isUsed: boolean
}

/** What a body becomes, while it is read. */
export class Draft extends BodyDraft {
  answer: MessageAnswerOptions = {}
  /** The servers of the request by their names, and whether a toolset is of it. */
  readonly mcpServers: Map<string, GivenServer> = new Map()
  /** The tools that the model is not told of until a result names them. */
  readonly #deferred = new Map<string, { readonly tool: object; readonly origin: BodyOrigin }>()

  readonly options: MessagesRequestOptions

  constructor(options: MessagesRequestOptions) {
    super(partOf)
    this.options = options
  }

  /** Adds a tool of the request. */
  addTool(tool: object, origin: BodyOrigin): void {
    this.tools.push(tool)
    this.origins.add('tools', origin)
  }

  /** Keeps a tool back until it is named. */
  defer(name: string, tool: object, origin: BodyOrigin): void {
    if (this.#deferred.has(name)) this.addTool(tool, origin)
    else this.#deferred.set(name, { tool, origin })
  }

  /** Makes a deferred tool one of the request's. @returns undefined if there is none of this name, or it is one already */
  load(name: string): object | undefined {
    const { tool, origin } = this.#deferred.get(name) ?? {}
    if (tool === undefined || origin === undefined) return undefined
    this.#deferred.delete(name)
    this.addTool(tool, origin)
    return tool
  }
}

/** A path within the content of a message: images and documents have their source as an object. */
function partOf(path: string): string {
  return path.replace(/^(content\[\d+\])\.(image_url|file_data|file_url|file_id)$/, '$1.source')
}
