import type { BuiltinTool } from '../../core/recipients/builtin-tools.js'
import { isSameJson } from '../../core/recipients/same-json.js'
import { builtinNamespaces } from './builtin-namespaces.js'
import type { TaughtTool, ToolNamespace } from './tool-namespace.js'

/** What the model is taught at one place. */
export interface Lesson {
  readonly namespaces: readonly ToolNamespace[]
  /** gpt-oss's own tools. */
  readonly builtins: ReadonlySet<BuiltinTool>
}

/** A namespace during collection, its tools by name. */
interface Taught {
  description?: string | undefined
  readonly tools: Map<string, TaughtTool>
}

/** A lesson during collection. */
interface Place {
  readonly namespaces: Map<string, Taught>
  readonly builtins: Set<BuiltinTool>
}

/** Where something was taught last. */
interface Last {
  readonly place: Place
  /** The list that declared it. */
  readonly list: number
}

/**
 * What the model is taught, and where: in the head, or at the items that declare tools. Nothing is taught twice, and
 * what an earlier list teaches stays in its place, so that the prompt before an item does not change. Except for a tool
 * of the request's own list: an item that declares it again teaches it instead.
 */
export class Lessons {
  readonly #head = createPlace()
  readonly #places: Place[] = []
  readonly #tools = new Map<string, Last & { readonly tool: TaughtTool; readonly namespace: string }>()
  readonly #builtins = new Map<BuiltinTool, Last>()
  #place = this.#head
  #list = -1

  /**
   * Begins the next list of tools, the first of which is the request's own.
   *
   * @param isLeading - whether it belongs to the head
   */
  begin(isLeading: boolean): void {
    this.#list += 1
    this.#place = isLeading ? this.#head : createPlace()
    this.#places.push(this.#place)
  }

  /**
   * Adds a tool to the namespace that its recipient begins with.
   *
   * @param isAgain - whether the request's own list declares it equally
   */
  teach(recipient: string, tool: TaughtTool, isAgain: boolean, description?: string): void {
    const namespace = recipient.slice(0, -tool.name.length - 1)
    const last = this.#tools.get(recipient)
    if (last !== undefined) {
      const isEqual = isSame(last.tool, tool)
      if (this.#isTaught(last, isEqual, isAgain)) return
      if (isEqual || last.place === this.#place) last.place.namespaces.get(namespace)?.tools.delete(tool.name)
    }
    const inside: Taught = this.#place.namespaces.get(namespace) ?? { tools: new Map() }
    inside.description ??= description
    this.#place.namespaces.set(namespace, inside)
    inside.tools.set(tool.name, tool)
    this.#tools.set(recipient, { place: this.#place, list: this.#list, tool, namespace })
  }

  teachBuiltin(builtin: BuiltinTool, isAgain: boolean): void {
    const last = this.#builtins.get(builtin)
    if (last !== undefined && this.#isTaught(last, true, isAgain)) return
    last?.place.builtins.delete(builtin)
    this.#place.builtins.add(builtin)
    this.#builtins.set(builtin, { place: this.#place, list: this.#list })
  }

  /** What the head teaches. */
  get head(): Lesson {
    return { namespaces: namespacesOf(this.#head), builtins: this.#head.builtins }
  }

  /** What each list teaches at its own place, gpt-oss's own tools included: nothing if it belongs to the head. */
  get later(): readonly (readonly ToolNamespace[])[] {
    const known = new Set(builtinNamespaces(this.#head.builtins).map(({ name }) => name))
    return this.#places.map((place) => {
      if (place === this.#head) return []
      // Two tools may share a namespace.
      const builtins = builtinNamespaces(place.builtins).filter(({ name }) => !known.has(name))
      for (const { name } of builtins) known.add(name)
      return [...builtins, ...namespacesOf(place)]
    })
  }

  /** All that is taught anywhere, in its latest form. @param isLeft - whether a recipient still addresses a tool */
  all(isLeft: (recipient: string) => boolean): Lesson {
    const place = createPlace()
    for (const [recipient, { tool, namespace, place: at }] of this.#tools) {
      if (!isLeft(recipient)) continue
      const { description } = at.namespaces.get(namespace) ?? {}
      const inside: Taught = place.namespaces.get(namespace) ?? { description, tools: new Map() }
      place.namespaces.set(namespace, inside)
      inside.tools.set(tool.name, tool)
    }
    return { namespaces: namespacesOf(place), builtins: new Set(this.#builtins.keys()) }
  }

  /** Whether the current list need not teach what was taught before, in an equal form or another. */
  #isTaught({ place, list }: Last, isEqual: boolean, isAgain: boolean): boolean {
    return list === this.#list || (isEqual && (list > 0 || place === this.#place || !isAgain))
  }
}

function createPlace(): Place {
  return { namespaces: new Map(), builtins: new Set() }
}

function namespacesOf({ namespaces }: Place): ToolNamespace[] {
  return [...namespaces].flatMap(([name, { description, tools }]) =>
    tools.size === 0 ? [] : [{ name, description, tools: [...tools.values()] }],
  )
}

function isSame(one: TaughtTool, other: TaughtTool): boolean {
  return (
    (one.description ?? '') === (other.description ?? '') &&
    isSameJson(one.parameters ?? null, other.parameters ?? null)
  )
}
