import type { Compiler } from './compiler.js'
import { ANYTHING, both, type Located } from './located.js'
import { isNothing, type Shape } from './shape.js'

/** The maximum number of alternatives in which an object may satisfy its demands. */
const MAX_ALTERNATIVES = 50

/** A shape without demands on unnamed properties, and the additional schema of one undeclared property. */
export interface Alternative {
  readonly shape: Shape
  readonly other?: Located
}

/** Returns the alternatives in which an object satisfies `some`: by a declared property, or by another one. */
export function alternativesToHave(shape: Shape, compiler: Pick<Compiler, 'relax' | 'spend'>): readonly Alternative[] {
  const alternatives = shape.some.length === 0 ? [{ shape }] : allAlternatives(shape, compiler)
  if (alternatives !== undefined) return alternatives
  for (const { path } of shape.some) compiler.relax(path, 'Requiring an additional property cannot be enforced.')
  return [{ shape: { ...shape, some: [] } }]
}

/** Returns undefined if it cannot be expressed, or there are too many. */
function allAlternatives(shape: Shape, { spend }: Pick<Compiler, 'spend'>): readonly Alternative[] | undefined {
  if (shape.names !== ANYTHING || shape.patterned.length > 0 || shape.unenforceablePatterns.length > 0) return undefined
  let alternatives: readonly Alternative[] = [{ shape: { ...shape, some: [] } }]
  for (const { names, value } of shape.some) {
    const next: Alternative[] = []
    for (const alternative of alternatives) {
      // Names that are neither declared nor listed belong to the others.
      const undeclared = [...names, ...alternative.shape.required].filter(
        (name) => !alternative.shape.properties.has(name),
      )
      const declared = undeclared.map((name) => [name, alternative.shape.additional] as const)
      const properties = new Map([...alternative.shape.properties, ...declared])
      const own = { ...alternative.shape, properties }
      const able = [...properties].filter(([name, located]) => !names.includes(name) && !isNothing(located))
      if (value === ANYTHING && able.some(([name]) => own.required.has(name))) {
        next.push(alternative)
        continue
      }
      for (const [name, located] of able) {
        if (!spend(properties.size)) return undefined
        const required = new Set([...own.required, name])
        next.push({
          ...alternative,
          shape: { ...own, required, properties: new Map([...properties, [name, both(located, value)]]) },
        })
      }
      if (isNothing(own.additional)) continue
      // A single undeclared property could satisfy both demands.
      if (alternative.other !== undefined || own.maxProperties !== Number.POSITIVE_INFINITY) return undefined
      next.push({ shape: own, other: both(own.additional, value) })
    }
    if (next.length > MAX_ALTERNATIVES) return undefined
    alternatives = next
  }
  return alternatives
}
