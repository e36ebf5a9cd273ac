import type { Compiler } from './compiler.js'
import { ANYTHING, both, type Located } from './located.js'
import { isNothing, type Shape } from './shape.js'

/** The maximum number of ways in which an object may satisfy its demands. */
const MOST_WAYS = 50

/** A shape without demands on unnamed properties, and the additional schema of one undeclared property. */
export interface Way {
  readonly shape: Shape
  readonly other?: Located
}

/** Returns the ways in which an object satisfies `some`: by a declared property, or by another one. */
export function waysToHave(shape: Shape, compiler: Pick<Compiler, 'relax' | 'spend'>): readonly Way[] {
  const ways = shape.some.length === 0 ? [{ shape }] : allWays(shape, compiler)
  if (ways !== undefined) return ways
  for (const { path } of shape.some) compiler.relax(path, 'Requiring an additional property cannot be enforced.')
  return [{ shape: { ...shape, some: [] } }]
}

/** Returns undefined if it cannot be expressed, or there are too many. */
function allWays(shape: Shape, { spend }: Pick<Compiler, 'spend'>): readonly Way[] | undefined {
  if (shape.names !== ANYTHING || shape.patterned.length > 0 || shape.unenforceablePatterns.length > 0) return undefined
  let ways: readonly Way[] = [{ shape: { ...shape, some: [] } }]
  for (const { names, value } of shape.some) {
    const next: Way[] = []
    for (const way of ways) {
      // Names that are neither declared nor listed belong to the others.
      const undeclared = [...names, ...way.shape.required].filter((name) => !way.shape.properties.has(name))
      const declared = undeclared.map((name) => [name, way.shape.additional] as const)
      const properties = new Map([...way.shape.properties, ...declared])
      const own = { ...way.shape, properties }
      const able = [...properties].filter(([name, located]) => !names.includes(name) && !isNothing(located))
      if (value === ANYTHING && able.some(([name]) => own.required.has(name))) {
        next.push(way)
        continue
      }
      for (const [name, located] of able) {
        if (!spend(properties.size)) return undefined
        const required = new Set([...own.required, name])
        next.push({
          ...way,
          shape: { ...own, required, properties: new Map([...properties, [name, both(located, value)]]) },
        })
      }
      if (isNothing(own.additional)) continue
      // A single undeclared property could satisfy both demands.
      if (way.other !== undefined || own.maxProperties !== Number.POSITIVE_INFINITY) return undefined
      next.push({ shape: own, other: both(own.additional, value) })
    }
    if (next.length > MOST_WAYS) return undefined
    ways = next
  }
  return ways
}
